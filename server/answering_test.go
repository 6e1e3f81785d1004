package server_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// Requests after a refused one are not handled.
func TestNothingFollowsAFailedWrite(t *testing.T) {
	for name, fail := range map[string]func(w *server.ResponseWriter) error{
		"before the head": func(w *server.ResponseWriter) error { return w.WriteInformational(103, nil) },
		"with the head":   func(w *server.ResponseWriter) error { return w.Flush() },
	} {
		var handled atomic.Int64
		f := serveMute(t, func(w *server.ResponseWriter, r *server.Request) {
			handled.Add(1)
			if err := fail(w); !errors.Is(err, errMuted) {
				t.Errorf("%s: %v", name, err)
			}
		})
		k := f.talk(t)
		k.Send(strings.Repeat("GET / HTTP/1.1\r\nHost: h\r\n\r\n", 3))
		k.WantGone()
		if n := handled.Load(); n != 1 {
			t.Errorf("%s: %d requests were handled", name, n)
		}
	}
}

// WriteTo returns the same error for a bad body as Read.
func TestBadBodiesByWriteTo(t *testing.T) {
	errs := make(chan error, 1)
	f := start(t, server.Config{MaxBodyBytes: 10, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		_, err := r.WriteTo(io.Discard)
		errs <- err
	})})
	k := f.talk(t)
	k.Send(post("Content-Length: 5\r\n", "abc"))
	k.HalfClose()
	if err := <-errs; !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a body that is cut: %v", err)
	}
	wantStatus(t, k.Rest(), "400 Bad Request")
	k = f.talk(t)
	k.Send(post("Content-Length: 11\r\n", "abcdefghijk"))
	var tooLarge *http.MaxBytesError
	if err := <-errs; !errors.As(err, &tooLarge) {
		t.Errorf("a body that is too large: %v", err)
	}
	wantStatus(t, k.Rest(), "413 Content Too Large")
	if n := f.Stats().BadRequests; n != 2 {
		t.Errorf("BadRequests is %d, want 2", n)
	}
}

// WriteTo of a bad body with no valid byte writes nothing, so the server can respond with 400.
func TestWriteToWritesNoNothing(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) { r.WriteTo(w) })
	wantStatus(t, f.exchange(t, post(chunkedField, "x\r\n")), "400 Bad Request")
}

// Informational responses other than 100 do not stop the server from sending 100 Continue.
func TestOnlyAContinueIsOne(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		code := 0
		fmt.Sscan(string(r.Query()), &code)
		w.WriteInformational(code, nil)
		collect(w, r)
	})
	for code, between := range map[string]string{"199": "HTTP/1.1 199 \r\n\r\nHTTP/1.1 100 Continue\r\n\r\n", "103": "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n", "100": "HTTP/1.1 100 Continue\r\n\r\n"} {
		k := f.talk(t)
		k.Send("POST /?" + code + " HTTP/1.1\r\nHost: h\r\n" + expectField + "Content-Length: 3\r\n\r\n")
		k.Want(between)
		k.Send("abc")
		wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 10")
		k.Want("abc|<nil>|")
	}
}

// Fields and a length set after the head was sent change nothing, not even how much may be written.
func TestFieldsAfterTheHead(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.Flush()
		w.Header().Set("Content-Length", "1")
		w.SetContentLength(1)
		w.SetStatus(204)
		if n, err := w.WriteString("abc"); n != 3 || err != nil {
			t.Errorf("Write: %d, %v", n, err)
		}
	})
	got := f.exchange(t, get("/"))
	if want := lines("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Connection: close", "", "3", "abc", "0", "", ""); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The head is sent once, whatever is copied after it.
func TestReadFromAfterTheHead(t *testing.T) {
	large := strings.Repeat("x", 50_000)
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte(large), 0o600); err != nil {
		t.Fatal(err)
	}
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		src, err := os.Open(name)
		if err != nil {
			t.Error(err)
			return
		}
		defer src.Close()
		w.SetContentLength(2 + 50_000 + 3)
		w.WriteString("ab")
		w.Flush()
		if n, err := w.ReadFrom(io.LimitReader(src, 20_000)); n != 20_000 || err != nil {
			t.Errorf("first: %d, %v", n, err)
		}
		if n, err := w.ReadFrom(src); n != 30_000 || err != nil {
			t.Errorf("second: %d, %v", n, err)
		}
		w.WriteString("cde")
		if n, err := w.ReadFrom(strings.NewReader("f")); n != 0 || err != http.ErrContentLength {
			t.Errorf("beyond the length: %d, %v", n, err)
		}
	})
	got := f.exchange(t, get("/"))
	if want := lines("HTTP/1.1 200 OK", "Content-Length: 50005", "Connection: close", "", "ab"+large+"cde"); got != want {
		t.Errorf("got %.200q, %d bytes; want %d", got, len(got), len(want))
	}
}

// Of a file longer than the declared length only the declared part is sent, and the next response is intact.
func TestAFileBeyondTheLength(t *testing.T) {
	const length = 20_000
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte(strings.Repeat("x", length)+evil), 0o600); err != nil {
		t.Fatal(err)
	}
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		src, err := os.Open(name)
		if err != nil {
			t.Error(err)
			return
		}
		defer src.Close()
		w.SetContentLength(length)
		var from io.Reader = src
		if string(r.Path()) == "/limited" {
			from = io.LimitReader(src, length+10)
		}
		if n, err := w.ReadFrom(from); n != length || err != http.ErrContentLength {
			t.Errorf("%s: %d, %v", r.Path(), n, err)
		}
	})
	k := f.talk(t)
	for _, path := range []string{"/whole", "/limited", "/whole"} {
		k.Send("GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n")
		wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 20000")
		k.Want(strings.Repeat("x", length))
	}
	k.WantSilence(short / 10)
}

// twoLives is a reader that goes on after it has returned io.EOF.
type twoLives struct{ lives []string }

func (l *twoLives) Read(p []byte) (int, error) {
	if len(l.lives) == 0 || l.lives[0] == "" {
		l.lives = l.lives[min(1, len(l.lives)):]
		return 0, io.EOF
	}
	n := copy(p, l.lives[0])
	l.lives[0] = l.lives[0][n:]
	return n, nil
}

// A reader that has returned io.EOF is not read again, even if it gave less than was declared.
func TestAReaderThatHasEnded(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.SetContentLength(30_000)
		if n, err := w.ReadFrom(&twoLives{[]string{strings.Repeat("x", 20_000), strings.Repeat("y", 10_000)}}); n != 20_000 || err != nil {
			t.Errorf("ReadFrom: %d, %v", n, err)
		}
	})
	k := f.talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 30000")
	k.Want(strings.Repeat("x", 20_000))
	k.WantGone()
}

// ServeFile keeps a Content-Type that the handler has set, and closes the file.
func TestServeFileKeepsTheHandlersType(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f.html")
	if err := os.WriteFile(name, []byte("<p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.Header().Set("Content-Type", "text/mine")
		if err := w.ServeFile(name); err != nil {
			t.Error(err)
		}
	})
	k := f.talk(t)
	ask := func() {
		k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		if got := head(k); strings.Count(got, "Content-Type: ") != 1 || !strings.Contains(got, "Content-Type: text/mine\r\n") {
			t.Errorf("got %q", got)
		}
		k.Want("<p>")
	}
	ask()
	if runtime.GOOS != "linux" {
		return
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would close forgotten files
	before := descriptors(t)
	for range 50 {
		ask()
	}
	if more := descriptors(t) - before; more > 25 {
		t.Errorf("50 files left %d descriptors", more)
	}
}

// descriptors returns the number of this process's descriptors.
func descriptors(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(open)
}

// Path is that of an absolute target, and empty for CONNECT.
func TestPathOfEveryForm(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.SetStatus(400)
		fmt.Fprintf(w, "path=%s query=%s host=%s", r.Path(), r.Query(), r.Host())
	})
	for request, want := range map[string]string{
		"GET http://o/x?q HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n": "path=/x query=q host=o",
		"GET http://o HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n":     "path=/ query= host=o",
		"CONNECT o:1 HTTP/1.1\r\nHost: o:1\r\n\r\n":                         "path= query= host=o:1",
	} {
		if _, got, _ := strings.Cut(f.exchange(t, request), "\r\n\r\n"); got != want {
			t.Errorf("%q: got %q, want %q", request, got, want)
		}
	}
}

// The log says why a response was broken off or lost bytes.
func TestWhatDoesNotFitIsLogged(t *testing.T) {
	for want, h := range map[string]server.HandlerFunc{
		"body bytes were not sent":            statusLate(204, false),
		"body and Content-Length differ":      lengthLate("ok", "3", nil),
		"request refused\" status=413":        func(_ *server.ResponseWriter, r *server.Request) { r.Body() },
		"request refused\" status=417":        func(*server.ResponseWriter, *server.Request) {},
		"server: handler panicked\" panic=ow": func(*server.ResponseWriter, *server.Request) { panic("ow") },
	} {
		j := new(journal)
		f := start(t, server.Config{Logger: j.logger(), MaxBodyBytes: 2, Handler: h})
		k := f.talk(t)
		if strings.HasSuffix(want, "417") {
			k.Send(post("Expect: miracles\r\n", ""))
		} else {
			k.Send(post(closeField+"Content-Length: 3\r\n", "abc"))
		}
		k.WantGone()
		if !strings.Contains(j.String(), want) {
			t.Errorf("want %q in the log: %s", want, j)
		}
	}
}

// A body after a request in full duplex must have the minimum rate again.
func TestBodiesAreJudgedAfterPausesWereAllowed(t *testing.T) {
	f := start(t, server.Config{MinReadRate: 100_000, RateGrace: 30 * time.Millisecond,
		Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
			if r.Header().Has("X-Duplex") {
				w.EnableFullDuplex()
			}
			if b, err := r.Body(); err == nil {
				w.Write(b)
			}
		})})
	k := f.talk(t)
	k.Send(post(chunkedField+"X-Duplex: 1\r\n", "3\r\nabc\r\n0\r\n\r\n"))
	k.WantUntil("\r\n\r\nabc")
	k.Send(post("Content-Length: 3\r\n", "a"))
	k.WantUntil("HTTP/1.1 408 ")
}

// Functions registered before Shutdown are called, while other goroutines register more and shut down.
func TestRegisterOnShutdownFromEverywhere(t *testing.T) {
	f := handle(t, path)
	var called atomic.Int64
	const workers, each = 8, 500
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range each {
				f.RegisterOnShutdown(func() { called.Add(1) })
			}
		})
	}
	all.Wait()
	var ends sync.WaitGroup
	for range 4 {
		ends.Go(func() { f.Shutdown(t.Context()) })
		ends.Go(func() { f.RegisterOnShutdown(func() {}) })
	}
	ends.Wait()
	eventually(t, "all to be called by each Shutdown", func() bool { return called.Load() == 4*workers*each })
}

// The connection that checks whether a process listens on a Unix socket is closed at once.
func TestWhoIsAskedForALifeSignIsLetGo(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if second, err := server.Listen("unix:" + name); err == nil {
		second.Close()
		t.Fatal("listened where somebody else does")
	}
	nc, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	nc.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := nc.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the connection of the check is open: %v", err)
	}
}
