package nethttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A handler that ends with runtime.Goexit, or with panic(nil) where that is allowed, ends the connection without a
// response and without a log line.
func TestFallsInSilence(t *testing.T) {
	t.Setenv("GODEBUG", "panicnil=1")
	for name, fall := range map[string]func(){
		"Goexit": runtime.Goexit, "panic(nil)": func() { panic(any(nil)) }, "ErrAbortHandler": func() { panic(http.ErrAbortHandler) },
	} {
		for _, hooked := range []bool{false, true} { // on either serve loop
			var log journal
			withBoth(t, func() *http.Server {
				log = journal{}
				std := &http.Server{ErrorLog: log.logger(), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					io.WriteString(w, "not to be seen")
					fall()
				})}
				if hooked {
					std.ConnState = func(net.Conn, http.ConnState) {}
				}
				return std
			}, func(t *testing.T, addr string) {
				p := dial(t, addr)
				p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
				got, err := io.ReadAll(p.in)
				p.Close() // the server need not linger
				if len(got) > 0 || name == "Goexit" && err != nil {
					t.Errorf("%s: %q, %v", name, got, err)
				}
				if log.String() != "" {
					t.Errorf("%s is logged: %s", name, log.String())
				}
			})
		}
	}
}

// What a handler wrote arrives, although it is less than its Content-Length, and then the connection ends in good order:
// a reset could destroy those bytes.
func TestShortAnswerEndsInOrder(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "10")
		io.WriteString(w, "part")
		if r.URL.Path == "/flushed" {
			w.(http.Flusher).Flush()
		}
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		for _, path := range []string{"/", "/flushed"} {
			p := dial(t, addr)
			p.say("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n")
			got, err := io.ReadAll(p.in)
			p.Close()
			if err != nil || !strings.HasSuffix(string(got), "\r\n\r\npart") {
				t.Errorf("%s: %q, %v", path, got, err)
			}
		}
	})
}

// When the client resets the connection and a Write fails, the context ends, also with a ConnState hook and while part of
// the request's body is unread.
func TestFailedWriteEndsTheContext(t *testing.T) {
	for _, hooked := range []bool{false, true} {
		ended := make(chan error, 1)
		withBoth(t, func() *http.Server {
			std := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.NewResponseController(w).EnableFullDuplex()
				ctx := r.Context()
				done := ctx.Done()
				for {
					if _, err := w.Write(make([]byte, 64<<10)); err != nil {
						break
					}
				}
				select {
				case <-done:
					ended <- nil
				case <-time.After(patience):
					ended <- errors.New("writing has failed, and the context goes on")
				}
			})}
			if hooked {
				std.ConnState = func(net.Conn, http.ConnState) {}
			}
			return std
		}, func(t *testing.T, addr string) {
			p := dial(t, addr)
			p.say("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
			p.in.ReadByte() // the context has been checked
			p.say("some")
			if _, err := io.CopyN(io.Discard, p.in, 1<<20); err != nil {
				t.Fatal(err)
			}
			p.Conn.(*net.TCPConn).SetLinger(0)
			p.Close()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// Errors of a connection are of type *net.OpError, and have the text and the wrapped error that net's connections give,
// because programs look for these.
func TestErrorsSayWhatNetSays(t *testing.T) {
	seen := make(chan error, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		var err error
		switch r.URL.Path {
		case "/read":
			rc.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
			_, err = io.ReadAll(r.Body)
		case "/write":
			rc.SetWriteDeadline(time.Unix(1, 0))
			io.WriteString(w, "x")
			err = rc.Flush()
		case "/reset":
			for err == nil {
				_, err = w.Write(make([]byte, 64<<10))
			}
		}
		seen <- err
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		for path, words := range map[string][]string{
			"/read": {"i/o timeout"}, "/write": {"i/o timeout"},
			"/reset": {"write: broken pipe", "write: connection reset by peer"},
		} {
			p := dial(t, addr)
			p.say("POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
			if path != "/read" {
				p.say("llo")
			}
			if path == "/reset" {
				p.in.ReadByte()
				p.Conn.(*net.TCPConn).SetLinger(0)
				p.Close()
			}
			err := <-seen
			p.Close()
			var op *net.OpError
			if !errors.As(err, &op) || op.Source == nil || op.Addr == nil || op.Net != "tcp" {
				t.Errorf("%s: %#v", path, err)
				continue
			}
			verb := "write"
			if path == "/read" {
				verb = "read"
			}
			fits := false
			for _, w := range words {
				fits = fits || err.Error() == fmt.Sprintf("%s tcp %s->%s: %s", verb, addr, p.LocalAddr(), w)
			}
			if !fits {
				t.Errorf("%s: %v", path, err)
			}
			if path == "/reset" {
				var call *os.SyscallError
				if !errors.As(err, &call) || !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
					t.Errorf("%s: %#v", path, op.Err)
				}
			} else if !errors.Is(err, os.ErrDeadlineExceeded) || !op.Timeout() {
				t.Errorf("%s is no timeout: %v", path, err)
			}
		}
	})
}

// connKey is where TestForeignDeadlines' ConnContext keeps the connection.
type connKey struct{}

// A deadline that a program sets on the connection given to ConnContext ends reads and writes, even one that already
// waits.
func TestForeignDeadlines(t *testing.T) {
	seen := make(chan error, 1)
	configure := func() *http.Server {
		return &http.Server{
			ConnContext: func(ctx context.Context, nc net.Conn) context.Context { return context.WithValue(ctx, connKey{}, nc) },
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				nc := r.Context().Value(connKey{}).(net.Conn)
				soon := time.Now().Add(10 * time.Millisecond)
				var err error
				switch r.URL.Path {
				case "/read":
					nc.SetReadDeadline(soon)
					_, err = io.ReadAll(r.Body)
				case "/meanwhile":
					time.AfterFunc(10*time.Millisecond, func() { nc.SetReadDeadline(time.Unix(1, 0)) })
					_, err = io.ReadAll(r.Body)
				case "/write":
					nc.SetWriteDeadline(soon)
					for err == nil {
						_, err = w.Write(make([]byte, 64<<10))
					}
				}
				seen <- err
			}),
		}
	}
	withBoth(t, configure, func(t *testing.T, addr string) {
		for _, path := range []string{"/read", "/meanwhile", "/write"} {
			p := dial(t, addr)
			p.say("POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
			if path == "/write" {
				p.say("llo")
			}
			select {
			case err := <-seen:
				if !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("%s: %v", path, err)
				}
			case <-time.After(patience):
				t.Fatalf("%s: it still waits", path)
			}
			p.Close()
		}
	})
}

// stamping sets a deadline on each connection that it accepts.
type stamping struct{ net.Listener }

func (l stamping) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err == nil {
		nc.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	}
	return nc, err
}

// A deadline that the listener has set ends a connection on which nothing is sent.
func TestDeadlineOfAListener(t *testing.T) {
	l := listen(t)
	defer servers[1].serve(&http.Server{Handler: http.NotFoundHandler(), ErrorLog: quiet()}, stamping{l})()
	p := dial(t, l.Addr().String())
	if got, err := io.ReadAll(p.in); len(got) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%q, %v", got, err)
	}
}

// keeping is a listener that keeps what it has accepted.
type keeping struct {
	*net.TCPListener
	kept chan net.Conn
}

func (l keeping) Accept() (net.Conn, error) {
	nc, err := l.TCPListener.Accept()
	if err == nil {
		l.kept <- nc
	}
	return nc, err
}

// A listener that keeps its accepted connections may close one while a handler runs, and so may the handler.
func TestKeptConnectionCanBeClosed(t *testing.T) {
	for _, base := range []bool{false, true} {
		l := keeping{listen(t).(*net.TCPListener), make(chan net.Conn, 1)}
		closed := make(chan error, 1)
		std := &http.Server{ErrorLog: quiet(), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			closed <- (<-l.kept).Close()
		})}
		if base {
			std.BaseContext = func(net.Listener) context.Context { return context.Background() }
		}
		stop := servers[1].serve(std, l)
		p := dial(t, l.Addr().String())
		p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		select {
		case err := <-closed:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Fatal("Close within the handler does not return")
		}
		if got, _ := io.ReadAll(p.in); len(got) > 0 {
			t.Errorf("got %q", got)
		}
		stop()
	}
}
