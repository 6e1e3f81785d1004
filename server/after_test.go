package server_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// After Hijack each method returns http.ErrHijacked and writes nothing.
func TestNothingWorksAfterHijack(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		nc, _, err := w.Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		src := strings.NewReader("x")
		_, written := w.WriteString("x")
		_, copied := w.ReadFrom(src)
		if src.Len() != 1 {
			t.Error("ReadFrom took something from a reader in vain")
		}
		_, _, again := w.Hijack()
		for what, err := range map[string]error{
			"Write": written, "ReadFrom": copied, "Hijack": again, "Flush": w.Flush(), "Push": w.Push(), "WriteText": w.WriteText("x"),
			"WriteInformational": w.WriteInformational(103, nil), "ServeFile": w.ServeFile("after_test.go"),
		} {
			if err != http.ErrHijacked {
				t.Errorf("%s: %v", what, err)
			}
		}
		w.SetStatus(500)
		if w.Status() != 200 || !w.Committed() {
			t.Error("the response can still be changed")
		}
		io.WriteString(nc, "mine")
		nc.Close()
	})
	if got := f.exchange(t, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); got != "mine" {
		t.Errorf("got %q", got)
	}
}

// Hijack's reader holds everything that was read ahead, however much that is.
func TestMuchReadAheadOfAHijack(t *testing.T) {
	ahead := strings.Repeat("0123456789", 1500)
	f := start(t, server.Config{ReadBufferSize: 64 << 10, Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		r.Body() // all that follows has arrived with it
		nc, rw, err := w.Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		n := rw.Reader.Buffered()
		got, _ := rw.Reader.Peek(n)
		fmt.Fprint(nc, n, " ", string(got) == ahead)
		nc.Close()
	})})
	k := f.talk(t)
	k.Send(post("Content-Length: 3\r\n", "abc"+ahead))
	k.Want(fmt.Sprint(len(ahead), " true"))
}

// After a Hijack that failed because the connection was closed, writes return net.ErrClosed.
func TestAHijackThatFails(t *testing.T) {
	entered, closed, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		defer close(done)
		close(entered)
		<-closed
		_, _, err := w.Hijack()
		_, written := w.WriteString("x")
		if _, _, again := w.Hijack(); err == nil || !errors.Is(written, net.ErrClosed) || again == nil {
			t.Errorf("Hijack of a connection that was closed: %v, then Write: %v, Hijack: %v", err, written, again)
		}
	})
	k := f.talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	<-entered
	f.Close()
	close(closed)
	<-done
	k.WantGone()
}

// mute wraps the connections of a listener. A test can make all their writes fail while reads work.
type mute struct {
	net.Listener
	muted atomic.Bool
}

var errMuted = errors.New("muted")

type muteConn struct {
	net.Conn
	l *mute
}

// Accept implements net.Listener.
func (l *mute) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	return &muteConn{nc, l}, err
}

// Write implements net.Conn.
func (c *muteConn) Write(p []byte) (int, error) {
	if c.l.muted.Load() {
		return 0, errMuted
	}
	return c.Conn.Write(p)
}

// serveMute serves h on connections whose writes fail from the first request on.
func serveMute(t *testing.T, h server.HandlerFunc) *fixture {
	t.Helper()
	m := &mute{Listener: listen(t)}
	return startOn(t, m, server.Config{Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		m.muted.Store(true)
		h(w, r)
	})})
}

// When 100 Continue cannot be sent, no body is read, because the client will not send one.
func TestAContinueThatFails(t *testing.T) {
	told := make(chan error, 1)
	f := serveMute(t, func(w *server.ResponseWriter, r *server.Request) {
		lost := w.WriteInformational(102, nil)
		n, err := r.Read(make([]byte, 10))
		body, again := r.Body()
		if !errors.Is(lost, errMuted) || n != 0 || !errors.Is(err, lost) || len(body) != 0 || !errors.Is(again, lost) {
			t.Errorf("102: %v; Read: %d, %v; Body: %q, %v", lost, n, err, body, again)
		}
		told <- err
	})
	k := f.talk(t)
	k.Send(post(expectField+chunkedField, "3\r\nabc\r\n")) // a part of the body, sent without waiting for 100
	<-told
	k.WantGone()
}

// After a failed write every other call fails with the same error, and no call waits.
func TestEverythingFailsAfterAFailedWrite(t *testing.T) {
	for name, fail := range map[string]func(w *server.ResponseWriter) error{
		"Flush":              func(w *server.ResponseWriter) error { return w.Flush() },
		"Push":               func(w *server.ResponseWriter) error { return w.Push() },
		"WriteInformational": func(w *server.ResponseWriter) error { return w.WriteInformational(103, nil) },
		"Write": func(w *server.ResponseWriter) error {
			for {
				if n, err := w.WriteString(x5000); err != nil {
					if n != 0 {
						t.Errorf("%d bytes are written, and %v", n, err)
					}
					return err
				}
			}
		},
		"Write of a length": func(w *server.ResponseWriter) error {
			w.SetContentLength(1 << 40)
			for {
				if n, err := w.WriteString(x5000); err != nil {
					if n != 0 {
						t.Errorf("%d bytes are written, and %v", n, err)
					}
					return err
				}
			}
		},
		"ReadFrom": func(w *server.ResponseWriter) error {
			w.SetContentLength(1 << 40)
			_, err := w.ReadFrom(struct{ io.Reader }{endless{}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			done := make(chan struct{})
			f := serveMute(t, func(w *server.ResponseWriter, r *server.Request) {
				defer close(done)
				first := fail(w)
				if !errors.Is(first, errMuted) {
					t.Errorf("failed with %v", first)
				}
				n, written := w.WriteString("x")
				m, copied := w.ReadFrom(strings.NewReader("x"))
				_, _, hijacked := w.Hijack()
				if n != 0 || m != 0 || !errors.Is(written, first) || !errors.Is(copied, first) || !errors.Is(hijacked, first) {
					t.Errorf("afterwards: Write %d, %v; ReadFrom %d, %v; Hijack %v", n, written, m, copied, hijacked)
				}
				if err := w.Flush(); !errors.Is(err, first) {
					t.Errorf("Flush: %v", err)
				}
				if !w.Committed() {
					if err := w.WriteText("x"); !errors.Is(err, first) {
						t.Errorf("WriteText: %v", err)
					}
					if err := w.WriteInformational(103, nil); !errors.Is(err, first) {
						t.Errorf("WriteInformational: %v", err)
					}
				}
			})
			k := f.talk(t)
			k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
			<-done
			k.WantGone()
		})
	}
}

// ReadFrom reads nothing from its source when the connection has failed.
func TestNothingIsReadForAClientThatIsGone(t *testing.T) {
	done := make(chan struct{})
	f := serveMute(t, func(w *server.ResponseWriter, r *server.Request) {
		defer close(done)
		if _, err := r.Body(); !errors.Is(err, errMuted) { // 100 Continue could not be sent
			t.Errorf("Body: %v", err)
		}
		src := strings.NewReader(strings.Repeat("x", 40_000))
		w.SetContentLength(40_000)
		if n, err := w.ReadFrom(src); n != 0 || !errors.Is(err, errMuted) || src.Len() != 40_000 {
			t.Errorf("ReadFrom: %d, %v; %d bytes are left", n, err, src.Len())
		}
	})
	k := f.talk(t)
	k.Send(post(expectField+chunkedField, ""))
	<-done
	k.WantGone()
}

// endless is a reader without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// A handler that panicked and still holds its ResponseWriter cannot change another response.
func TestALateWriteAfterAPanic(t *testing.T) {
	fallen := make(chan *server.ResponseWriter, 1)
	var held atomic.Pointer[server.ResponseWriter]
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/fall" {
			fallen <- w
			panic(server.ErrAbort)
		}
		if w == held.Load() {
			t.Error("a response uses the memory of a handler that has panicked")
		}
		path(w, r)
	})
	for range 10 {
		k := f.talk(t)
		k.Send("GET /fall HTTP/1.1\r\nHost: h\r\n\r\n")
		w := <-fallen
		k.WantGone()
		for f.Stats().OpenConnections > 0 { // it has ended on the server's side, too
			time.Sleep(time.Millisecond)
		}
		held.Store(w)
		w.WriteString("late")
		for range 3 {
			k := f.talk(t)
			k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
			wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 2")
			k.Want("/a")
			w.WriteString("late")
			k.Close()
		}
		if err := w.Flush(); err == nil {
			t.Error("a late write found a connection")
		}
	}
}

// A response is not affected by the one before it on the connection.
func TestOneAnswersStateIsNotTheNextOnes(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		switch string(r.Path()) {
		case "/trailer":
			w.Header().Set("Trailer", "X-Sum")
			w.WriteString("data")
			w.Trailer().Set("X-Sum", "4")
		case "/length":
			w.SetContentLength(40_000)
			w.ReadFrom(strings.NewReader(strings.Repeat("x", 40_000)))
		case "/copy":
			w.ReadFrom(strings.NewReader("copy"))
		case "/status":
			w.Error(404, "no")
		default:
			path(w, r)
		}
	})
	request := func(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n" }
	k := f.talk(t)
	for before, end := range map[string]string{"/trailer": "X-Sum: 4\r\n\r\n", "/length": strings.Repeat("x", 40_000), "/status": "no\n"} {
		for _, requests := range [][]string{ // one after the other, and all at once
			{request(before), request("/copy"), request("/a")},
			{request(before) + request("/copy") + request("/a"), "", ""},
		} {
			k.Send(requests[0])
			k.WantUntil(end)
			k.Send(requests[1])
			wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 4")
			k.Want("copy")
			k.Send(requests[2])
			wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 2")
			k.Want("/a")
		}
	}
}

// WriteBody is refused if body bytes were written before it, if the status has no body, or if the body exceeds the
// declared length.
func TestWriteBodyIsAWholeBody(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.WriteString("a")
		if err := w.WriteBody("text/plain", []byte("b")); err != server.ErrCommitted {
			t.Errorf("after Write: %v", err)
		}
		w.WriteString("c")
	})
	if got, want := f.exchange(t, get("/")), lines("HTTP/1.1 200 OK", "Content-Length: 2", "Connection: close", "", "ac"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	f = handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.SetStatus(204)
		if err := w.WriteBody("text/plain", []byte("b")); err != http.ErrBodyNotAllowed {
			t.Errorf("with 204: %v", err)
		}
		w.SetStatus(200)
		w.SetContentLength(2)
		if err := w.WriteBody("text/plain", []byte("abc")); err != http.ErrContentLength {
			t.Errorf("beyond the length: %v", err)
		}
		if _, err := w.WriteString("ok"); err != http.ErrContentLength {
			t.Errorf("behind what was too long: %v", err)
		}
	})
	k := f.talk(t)
	k.Send(get("/"))
	wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 2", "Connection: close", "Content-Type: text/plain")
	k.Want("ab")
	k.WantEOF()
}

// Error sends its text with every status that may have a body, and no body with the others.
func TestErrorOfEveryKind(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		code := 200
		fmt.Sscan(strings.TrimPrefix(string(r.Path()), "/"), &code) // nothing to read for CONNECT
		if err := w.Error(code, "words"); err != nil {
			t.Errorf("%d: %v", code, err)
		}
	})
	const nosniff = "X-Content-Type-Options: nosniff"
	for request, want := range map[string]string{
		get("/200"): lines("HTTP/1.1 200 OK", "Content-Length: 6", "Connection: close", "Content-Type: text/plain; charset=utf-8", nosniff, "", "words\n"),
		get("/204"): lines("HTTP/1.1 204 No Content", "Connection: close", nosniff, "", ""),
		get("/304"): lines("HTTP/1.1 304 Not Modified", "Connection: close", nosniff, "", ""),
		"CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n": lines("HTTP/1.1 200 OK", nosniff, "", ""),
	} {
		if got := f.exchange(t, request); got != want {
			t.Errorf("%q\n got %q\nwant %q", request, got, want)
		}
	}
}

// An informational response is sent at once, even if the handler then works for long.
func TestInformationalLeavesAtOnce(t *testing.T) {
	seen := make(chan struct{})
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.WriteInformational(103, nil)
		<-seen
	})
	k := f.talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	k.Want("HTTP/1.1 103 Early Hints\r\n\r\n")
	close(seen)
	wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 0")
}

// A client that resets its connection in the middle of a body does not count as a bad request.
func TestABodyThatIsReset(t *testing.T) {
	entered, errs := make(chan struct{}), make(chan error, 1)
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		close(entered)
		_, err := r.Body()
		errs <- err
	})
	k := f.talk(t)
	k.Send(post("Content-Length: 5\r\n", "abc"))
	<-entered
	k.Reset()
	if err := <-errs; err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Body returned %v", err)
	}
	f.Close()
	if n := f.Stats().BadRequests; n != 0 {
		t.Errorf("BadRequests is %d", n)
	}
}

// An empty Write is a response, so the server sends none of its own after a malformed body.
func TestAnEmptyWriteIsAnAnswer(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		if _, err := r.Body(); err == nil {
			t.Error("a malformed body was read")
		}
		w.Write(nil)
	})
	wantStatus(t, f.exchange(t, post(chunkedField, "x\r\n")), "200 OK")
}
