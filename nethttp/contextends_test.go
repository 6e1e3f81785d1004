package nethttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// watches are the paths of contexts that a handler has made before something happens: one was used already, one was not.
var watches = []string{"/watched", "/unwatched"}

// contextOf returns the context of r that its path asks for.
func contextOf(r *http.Request) (ctx context.Context, release func()) {
	if r.URL.Path == watches[0] {
		return context.WithTimeout(r.Context(), time.Hour)
	}
	return r.Context(), func() {}
}

// errorOf returns the error of ctx: at once with our server, and as soon as there is one with net/http's.
func (s *served) errorOf(ctx context.Context) error {
	for !s.ours && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	return ctx.Err()
}

// When a Read fails because the client has left, the request's context has ended before Read returns.
func TestAFailedReadEndsTheContext(t *testing.T) {
	for _, k := range carriers {
		for how, leave := range leavings {
			if !k.leaves(how) {
				continue
			}
			t.Run(k.name+"/"+how, func(t *testing.T) {
				var s *served
				reading, ended := make(chan bool), make(chan error)
				h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					ctx, release := contextOf(r)
					defer release()
					io.ReadFull(r.Body, make([]byte, 4))
					reading <- true
					if _, err := r.Body.Read(make([]byte, 6)); err == nil || err == io.EOF {
						t.Errorf("%s: Read: %v", r.URL, err)
					}
					ended <- s.errorOf(ctx)
				})
				k.onBoth(t, h, func(t *testing.T, now *served) {
					s = now
					a := s.ask(t, watches, 10, "1234")
					for range watches {
						wiretest.Within(t, "a handler", reading)
					}
					leave(a)
					for range watches {
						if err := wiretest.Within(t, "a failed Read", ended); err != context.Canceled {
							t.Errorf("the context's error is %v", err)
						}
					}
				})
			})
		}
	}
}

// When a Write fails, the request's context has ended before Write returns, even if the client is still there.
func TestAFailedWriteEndsTheContext(t *testing.T) {
	for _, k := range carriers {
		t.Run(k.name, func(t *testing.T) {
			var s *served
			ended := make(chan error)
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ctx, release := contextOf(r)
				defer release()
				c := http.NewResponseController(w)
				if err := c.SetWriteDeadline(time.Now().Add(-time.Second)); err != nil {
					t.Error(err)
				}
				if _, err := w.Write(make([]byte, 1<<20)); err == nil && s.ours {
					t.Error("Write succeeded")
				}
				if err := c.Flush(); err == nil && s.ours {
					t.Error("Flush succeeded")
				}
				ended <- s.errorOf(ctx)
			})
			k.onBoth(t, h, func(t *testing.T, now *served) {
				s = now
				s.ask(t, watches, 0, "")
				for range watches {
					if err := wiretest.Within(t, "a failed Write", ended); err != context.Canceled {
						t.Errorf("the context's error is %v", err)
					}
				}
			})
		})
	}
}

// A Read that fails at its deadline ends the context over HTTP/1.1 and leaves it alone over HTTP/2, as with net/http.
func TestAReadDeadlineAndTheContext(t *testing.T) {
	for _, k := range carriers {
		t.Run(k.name, func(t *testing.T) {
			ended := make(chan error)
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ctx, release := contextOf(r)
				defer release()
				http.NewResponseController(w).SetReadDeadline(time.Now().Add(-time.Second))
				if _, err := r.Body.Read(make([]byte, 6)); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("Read: %v", err)
				}
				ended <- ctx.Err()
			})
			k.onBoth(t, h, func(t *testing.T, s *served) {
				s.ask(t, watches, 6, "")
				for range watches {
					if err := wiretest.Within(t, "a failed Read", ended); (err == nil) != k.h2 {
						t.Errorf("the context's error is %v", err)
					}
				}
			})
		})
	}
}

// Server.Close ends the contexts of all requests before it returns.
func TestCloseOfTheServerEndsContexts(t *testing.T) {
	for _, k := range carriers {
		t.Run(k.name, func(t *testing.T) {
			var s *served
			entered, ended := make(chan bool), make(chan error)
			var closed chan struct{}
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ctx, release := contextOf(r)
				defer release()
				entered <- true
				<-closed
				ended <- s.errorOf(ctx)
			})
			k.onBoth(t, h, func(t *testing.T, now *served) {
				s, closed = now, make(chan struct{})
				s.ask(t, watches, 0, "")
				for range watches {
					wiretest.Within(t, "a handler", entered)
				}
				s.close()
				close(closed)
				for range watches {
					if err := wiretest.Within(t, "the handler's look", ended); err != context.Canceled {
						t.Errorf("the context's error is %v", err)
					}
				}
			})
		})
	}
}
