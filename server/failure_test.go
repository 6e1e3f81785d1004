package server_test

import (
	"bytes"
	"log"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// journal is the log of a test's server. It may be written to at any time.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// logger returns a logger that writes everything into j.
func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// A handler that panics does not make a valid response or disturb other requests, and the panic is logged and counted.
func TestHandlersThatFall(t *testing.T) {
	t.Setenv("GODEBUG", "panicnil=1")
	for _, c := range []struct {
		name    string
		fall    func()
		logged  string // "" if nothing is to be
		counted int64
	}{
		{"panic", func() { panic("ouch") }, "ouch", 1},
		{"runtime error", func() { _ = hello[len(hello):][0] }, "index out of range", 1},
		{"ErrAbort", func() { panic(server.ErrAbort) }, "", 0},
		{"http.ErrAbortHandler", func() { panic(http.ErrAbortHandler) }, "", 0},
		{"runtime.Goexit", runtime.Goexit, "Goexit", 1},
		{"panic(nil)", func() { panic(any(nil)) }, "panic=<nil>", 1},
	} {
		for _, when := range []string{"at once", "written", "flushed", "streamed"} {
			t.Run(c.name+", "+when, func(t *testing.T) {
				j := new(journal)
				f := start(t, server.Config{Logger: j.logger(), Handler: server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
					switch when {
					case "written":
						w.WriteString("some")
					case "flushed":
						w.WriteString("some")
						w.Flush()
					case "streamed":
						r.Body()
					}
					if string(r.Path()) == "/fall" {
						c.fall()
					}
					w.WriteString("whole")
				})})
				other, k := f.talk(t), f.talk(t)
				k.Send("POST /fall HTTP/1.1\r\nHost: h\r\n" + chunkedField + "\r\n3\r\nabc\r\n0\r\n\r\n")
				if when == "flushed" {
					k.WantUntil("some")
				}
				k.WantGone()
				other.Send("GET /stay HTTP/1.1\r\nHost: h\r\n\r\n")
				other.WantUntil("whole")
				other.Close()
				f.Close()
				if got := f.Stats().Panics; got != c.counted {
					t.Errorf("Panics is %d, want %d", got, c.counted)
				}
				if text := j.String(); c.logged == "" && strings.Contains(text, "level=ERROR") || !strings.Contains(text, c.logged) || c.logged != "" && !strings.Contains(text, "stack=") {
					t.Errorf("want %q in the log, with a stack: %s", c.logged, text)
				}
			})
		}
	}
}

// A handler that panics after Hijack does not close the connection.
func TestAPanicAfterHijackLeavesTheConnectionAlone(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		nc, _, _ := w.Hijack()
		go func() {
			nc.Write([]byte("still here"))
			nc.Close()
		}()
		panic("ouch")
	})
	k := f.talk(t)
	k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	k.Want("still here")
	k.WantEOF()
}

// A panic does not lose the responses to earlier requests of the connection.
func TestEarlierAnswersSurviveAFall(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		if string(r.Path()) == "/fall" {
			panic(server.ErrAbort)
		}
		path(w, r)
	})
	k := f.talk(t)
	k.Send("GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /fall HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n")
	k.WantUntil("/a")
	k.WantGone()
}

// A body longer than declared is cut at the length, and a shorter one breaks the connection.
func TestLengthAgainstTheBytesWritten(t *testing.T) {
	for _, c := range []struct{ name, length, first, second, err, want string }{
		{"as many as declared", "4", "ab", "cd", "<nil>", "abcd"},
		{"more at once", "4", "abcde", "", http.ErrContentLength.Error(), "abcd"},
		{"the last write exceeds it", "4", "abc", "de", http.ErrContentLength.Error(), "abcd"},
		{"fewer", "4", "ab", "", "<nil>", "ab"},
		{"none", "4", "", "", "<nil>", ""},
	} {
		for _, flush := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
					w.Header().Set("Content-Length", c.length)
					_, err := w.WriteString(c.first)
					if flush {
						w.Flush()
					}
					if err == nil {
						_, err = w.WriteString(c.second)
					}
					if got := http.ErrContentLength; (err == got) != (c.err == got.Error()) {
						t.Errorf("Write returned %v, want %s", err, c.err)
					}
				})
				k := f.talk(t)
				k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
				wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 4")
				k.Want(c.want)
				if len(c.want) < 4 {
					k.WantGone()
				}
			})
		}
	}
}

// Without Config.Logger panics are logged to slog's default logger.
func TestPanicsAreLoggedByDefault(t *testing.T) {
	j := new(journal)
	log.SetOutput(j)
	defer log.SetOutput(os.Stderr)
	for _, c := range []struct {
		fall func()
		want string
	}{
		{func() { panic("ouch") }, "ERROR server: handler panicked panic=ouch remote=127.0.0.1:"},
		{runtime.Goexit, "panic=runtime.Goexit"},
	} {
		f := handle(t, func(w *server.ResponseWriter, r *server.Request) { c.fall() })
		k := f.talk(t)
		k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		k.WantGone()
		for f.Stats().OpenConnections > 0 {
			runtime.Gosched()
		}
		if got := j.String(); !strings.Contains(got, c.want) || !strings.Contains(got, "\ngoroutine ") {
			t.Errorf("logged %q, want %q and a stack in lines", got, c.want)
		}
	}
}
