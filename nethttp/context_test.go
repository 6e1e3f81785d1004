package nethttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// waysToAsk are the ways to learn from a context that the client has left.
var waysToAsk = map[string]func(ctx context.Context) error{
	"Done": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	"Err": func(ctx context.Context) error {
		for ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		return ctx.Err()
	},
	"AfterFunc": func(ctx context.Context) error {
		called := make(chan bool)
		context.AfterFunc(ctx, func() { close(called) })
		<-called
		return ctx.Err()
	},
	"child": func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		<-ctx.Done()
		return ctx.Err()
	},
	"CloseNotify": nil, // this one uses the ResponseWriter, below
}

func TestContextEndsWhenTheClientLeaves(t *testing.T) {
	ways := map[string]func(p *peer){
		"closed": func(p *peer) { p.Close() },
		"reset":  func(p *peer) { p.Conn.(*net.TCPConn).SetLinger(0); p.Close() },
		"half":   func(p *peer) { p.Conn.(*net.TCPConn).CloseWrite() },
	}
	for ask, wait := range waysToAsk {
		for leave, how := range ways {
			t.Run(ask+"/"+leave, func(t *testing.T) {
				entered, ended := make(chan bool, 1), make(chan error, 1)
				h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					io.Copy(io.Discard, r.Body)
					entered <- true
					if wait == nil {
						//lint:ignore SA1019 old handlers ask for it
						<-w.(http.CloseNotifier).CloseNotify()
						ended <- r.Context().Err()
						return
					}
					ended <- wait(r.Context())
				})
				onBoth(t, h, func(t *testing.T, addr string) {
					p := dial(t, addr)
					p.say("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody")
					<-entered
					how(p)
					select {
					case err := <-ended:
						if !errors.Is(err, context.Canceled) {
							t.Errorf("it ended with %v", err)
						}
					case <-time.After(patience):
						t.Error("the context has not ended")
					}
				})
			})
		}
	}
}

func TestContextOutlivesAPipelinedRequest(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 20*time.Millisecond)
		defer cancel()
		<-ctx.Done() // the next request has already arrived: the client has not left
		fmt.Fprint(w, ctx.Err(), r.Context().Err())
	})
	onBoth(t, h, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.say("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
		for range 2 {
			want := "HTTP/1.1 200 OK\nContent-Length: 31\nContent-Type: text/plain; charset=utf-8\n\ncontext deadline exceeded <nil>\n"
			if got := p.answer("GET"); got != want {
				t.Errorf("got:\n%s", got)
			}
		}
	})
}

func TestContextEndsWhenTheHandlerReturns(t *testing.T) {
	for ask, wait := range waysToAsk {
		if wait == nil {
			continue
		}
		t.Run(ask, func(t *testing.T) {
			ended := make(chan error, 1)
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked := make(chan bool)
				go func() {
					ctx := r.Context()
					if ctx.Err() != nil {
						t.Error("it has ended before")
					}
					close(asked)
					ended <- wait(ctx)
				}()
				<-asked
			})
			onBoth(t, h, func(t *testing.T, addr string) {
				p := dial(t, addr)
				p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
				p.answer("GET")
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("it ended with %v", err)
				}
			})
		})
	}
}

func TestContextEndsWithItsParent(t *testing.T) {
	type key string
	base, cancel := context.WithCancelCause(context.WithValue(context.Background(), key("base"), "b"))
	reason := errors.New("the reason")
	configure := func() *http.Server {
		base, cancel = context.WithCancelCause(context.WithValue(context.Background(), key("base"), "b"))
		return &http.Server{
			BaseContext: func(net.Listener) context.Context { return base },
			ConnContext: func(ctx context.Context, c net.Conn) context.Context {
				if ctx.Value(http.ServerContextKey) == nil {
					t.Error("ConnContext sees no server")
				}
				return context.WithValue(ctx, key("conn"), c.RemoteAddr().String())
			},
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ctx := r.Context()
				srv, _ := ctx.Value(http.ServerContextKey).(*http.Server)
				local, _ := ctx.Value(http.LocalAddrContextKey).(net.Addr)
				if srv == nil || srv.Handler == nil || local == nil || local.String() != r.Host {
					t.Errorf("server %v, local address %v", srv, local)
				}
				if ctx.Value(key("base")) != "b" || ctx.Value(key("conn")) != r.RemoteAddr {
					t.Errorf("values %v, %v", ctx.Value(key("base")), ctx.Value(key("conn")))
				}
				cancel(reason)
				<-ctx.Done()
				fmt.Fprint(w, ctx.Err(), " for ", context.Cause(ctx))
			}),
		}
	}
	withBoth(t, configure, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.sayf("GET / HTTP/1.1\r\nHost: %s\r\n\r\n", addr)
		want := "HTTP/1.1 200 OK\nContent-Length: 31\nContent-Type: text/plain; charset=utf-8\n\ncontext canceled for the reason\n"
		if got := p.answer("GET"); got != want {
			t.Errorf("got:\n%s", got)
		}
	})
}

// A waiting request has no goroutine for its context, whether the handler has never used the context or waits on one
// derived from it.
func TestContextsCostNoGoroutine(t *testing.T) {
	const requests = 50
	entered, leave := make(chan bool), make(chan bool)
	const unasked = -1
	var children int
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if children == unasked {
			entered <- true
			<-leave
			return
		}
		ctx := r.Context()
		for range children {
			var cancel context.CancelFunc
			ctx = context.WithValue(ctx, http.ServerContextKey, "another") // it has only Value of our methods
			ctx, cancel = context.WithTimeout(ctx, time.Hour)
			defer cancel()
		}
		defer context.AfterFunc(ctx, func() {})()
		entered <- true
		<-leave
	})
	count := func(n int) int {
		children = n
		before := runtime.NumGoroutine()
		s := &nethttp.Server{Handler: h, ErrorLog: quiet()}
		addr := serveOurs(t, s)
		var peers []*peer
		for range requests {
			p := dial(t, addr)
			p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
			peers = append(peers, p)
			<-entered
		}
		goroutines := runtime.NumGoroutine()
		for range peers {
			leave <- true
		}
		for _, p := range peers {
			p.answer("GET")
			p.Close()
		}
		s.Close()
		for end := time.Now().Add(patience); runtime.NumGoroutine() > before && time.Now().Before(end); {
			runtime.Gosched() // connections that are left would count in the next round
		}
		return goroutines
	}
	idle := runtime.NumGoroutine()
	if n := count(unasked) - idle; n > requests*3/2 {
		t.Errorf("%d goroutines for %d requests whose contexts were never used", n, requests)
	}
	none := count(0)
	if some := count(3); some > none+requests/2 {
		t.Errorf("%d goroutines with three child contexts for each of %d requests, %d without any", some, requests, none)
	}
}

func TestUnwatchedContextIsCheap(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Context().Value(http.ServerContextKey) == nil {
			t.Error("no server")
		}
	})
	addr := serveOurs(t, &nethttp.Server{Handler: h, ErrorLog: quiet()})
	exchange := exchanger(t, addr, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if n := testing.AllocsPerRun(1000, exchange); n > 3 { // the exchange and two maps
		t.Errorf("%v allocations for a request without fields", n)
	}
}
