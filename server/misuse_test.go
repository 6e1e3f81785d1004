package server_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// After the response head was sent, methods that change it fail.
func TestWhatComesTooLate(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		if w.Committed() || w.Status() != 200 {
			t.Error("a response begins committed, or not with 200")
		}
		w.WriteText("hello")
		if !w.Committed() {
			t.Error("WriteText did not commit")
		}
		w.SetStatus(500)
		for what, err := range map[string]error{
			"WriteText": w.WriteText("again"), "Error": w.Error(500, "no"), "WriteInformational": w.WriteInformational(103, nil),
		} {
			if err != server.ErrCommitted {
				t.Errorf("%s: %v", what, err)
			}
		}
		if _, err := w.WriteString("more"); err != http.ErrContentLength {
			t.Errorf("WriteString: %v", err)
		}
		if w.Status() != 200 {
			t.Errorf("the status became %d", w.Status())
		}
	})
	k := f.talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 5", "Content-Type: text/plain; charset=utf-8")
	k.Want("hello")
}

func TestStatusesThatAreNone(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		for _, code := range []int{-1, 0, 99, 100, 103, 199, 1000} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("SetStatus(%d) did not panic", code)
					}
				}()
				w.SetStatus(code)
			}()
		}
	})
	f.exchange(t, get("/"))
}

// Error removes the fields and bytes of the body prepared before.
func TestErrorReplacesWhatWasPrepared(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.Header().Set("Content-Length", "100")
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("X-Kept", "1")
		w.Header().Set("Trailer", "X-Sum")
		w.Trailer().Set("X-Sum", "1")
		w.WriteString("half of a")
		if err := w.Error(503, "broken"); err != nil {
			t.Error(err)
		}
	})
	got := f.exchange(t, get("/"))
	if want := lines("HTTP/1.1 503 Service Unavailable", "Content-Length: 7", "Connection: close",
		"Content-Type: text/plain; charset=utf-8", "X-Kept: 1", "X-Content-Type-Options: nosniff", "", "broken\n"); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// Writes to a client that has left fail, and so does everything after them.
func TestWritesToAClientThatIsGone(t *testing.T) {
	errs := make(chan [3]error, 1)
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		var first error
		for first == nil {
			w.WriteString("still there?")
			first = w.Flush()
		}
		_, second := w.WriteString("x")
		_, _, third := w.Hijack()
		errs <- [3]error{first, second, third}
	})
	k := f.talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	head(k)
	k.Close()
	got := <-errs
	if got[0] == nil || !errors.Is(got[1], got[0]) || !errors.Is(got[2], got[0]) {
		t.Errorf("got %v", got)
	}
}

// Error replaces a body that exceeded its length, the refused part included.
func TestErrorAfterAWriteBeyondTheLength(t *testing.T) {
	k := handle(t, func(w *server.ResponseWriter, _ *server.Request) {
		w.SetContentLength(3)
		if _, err := w.WriteString("abcd"); !errors.Is(err, http.ErrContentLength) {
			t.Errorf("Write: %v", err)
		}
		if err := w.Error(500, "no"); err != nil {
			t.Errorf("Error: %v", err)
		}
	}).talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	wantHead(t, k, "HTTP/1.1 500 Internal Server Error", "Content-Length: 3", "Content-Type: text/plain; charset=utf-8",
		"X-Content-Type-Options: nosniff")
	k.Want("no\n")
}

// After a write beyond the declared length the body is complete, and ReadFrom sends nothing.
func TestReadFromAfterAWriteBeyondTheLength(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	k := handle(t, func(w *server.ResponseWriter, _ *server.Request) {
		w.SetContentLength(1 << 16)
		w.Write(make([]byte, 1<<17))
		src, err := os.Open(file)
		if err != nil {
			t.Error(err)
			return
		}
		defer src.Close()
		if n, err := w.ReadFrom(src); n != 0 || !errors.Is(err, http.ErrContentLength) {
			t.Errorf("ReadFrom: %d, %v", n, err)
		}
	}).talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	k.WantUntil("\r\n\r\n")
	k.Want(string(make([]byte, 1<<16)))
	k.WantSilence(short / 10)
}
