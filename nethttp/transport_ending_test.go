package nethttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// silent reads requests and sends no response. It sends to arrived when a request begins, and to left when its connection
// ends.
func silent(t *testing.T) (addr string, arrived, left chan bool) {
	arrived, left = make(chan bool, 10), make(chan bool, 10)
	addr = serveEach(t, func(nc net.Conn) {
		if _, err := nc.Read(make([]byte, 1)); err == nil {
			arrived <- true
		}
		io.Copy(io.Discard, nc)
		left <- true
	})
	return addr, arrived, left
}

// serveEach calls serve for each connection that it accepts, and then closes the connection.
func serveEach(t *testing.T, serve func(net.Conn)) (addr string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer nc.Close()
				serve(nc)
			}()
		}
	}()
	return l.Addr().String()
}

// A request that a handler makes with its own context, or one derived from it, ends when that context ends.
func TestRequestEndsWithTheServersContext(t *testing.T) {
	type key struct{}
	errReason := errors.New("the reason")
	derive := map[string]func(context.Context) context.Context{
		"itself": func(ctx context.Context) context.Context { return ctx },
		"value":  func(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, 1) },
		"cancel": func(ctx context.Context) context.Context {
			ctx, cancel := context.WithCancel(ctx)
			t.Cleanup(cancel)
			return ctx
		},
	}
	const requests = 3 // at the same time
	for name, derived := range derive {
		for _, end := range []string{"the client leaves", "the handler returns", "the parent ends", "the handler panics"} {
			t.Run(name+"/"+end, func(t *testing.T) {
				addr, arrived, left := silent(t)
				tr := new(nethttp.Transport)
				defer tr.Close()
				base, cancel := context.WithCancelCause(context.Background())
				defer cancel(nil)
				failed, returns := make(chan error, requests), make(chan bool)
				letReturn := sync.OnceFunc(func() { close(returns) })
				defer letReturn()
				h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					for range requests {
						req, _ := http.NewRequestWithContext(derived(r.Context()), "GET", "http://"+addr, nil)
						go func() {
							_, err := tr.RoundTrip(req)
							failed <- err
						}()
					}
					if <-returns; end == "the handler panics" {
						panic(http.ErrAbortHandler)
					}
				})
				s := &nethttp.Server{Handler: h, ErrorLog: quiet()}
				want := context.Canceled
				if end == "the parent ends" {
					s.BaseContext, want = func(net.Listener) context.Context { return base }, errReason
				}
				p := dial(t, serveOurs(t, s))
				p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
				for range requests {
					<-arrived
				}
				switch end {
				case "the client leaves":
					p.Close()
				case "the parent ends":
					cancel(errReason)
				default:
					letReturn()
				}
				for range requests {
					select {
					case err := <-failed:
						if err != want {
							t.Errorf("it failed with %v, want %v", err, want)
						}
						<-left
					case <-time.After(patience):
						t.Fatal("it goes on")
					}
				}
			})
		}
	}
}

// After a request has ended, what happens to its context does not affect later requests.
func TestServersContextIsForgotten(t *testing.T) {
	upstream := serveBytes(t, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	tr := &nethttp.Transport{MaxConnsPerHost: 1} // all requests use one connection
	defer tr.Close()
	get := func(ctx context.Context) {
		req, _ := http.NewRequestWithContext(ctx, "GET", "http://"+upstream, nil)
		resp, err := tr.RoundTrip(req)
		if err != nil {
			t.Error(err)
			return
		}
		if b, err := io.ReadAll(resp.Body); string(b) != "ok" || err != nil {
			t.Errorf("got %q, %v", b, err)
		}
		resp.Body.Close()
	}
	addr := serveOurs(t, &nethttp.Server{ErrorLog: quiet(), Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		get(r.Context())
		get(r.Context())
	})})
	p := dial(t, addr)
	for range 100 {
		p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		get(context.Background())
		p.answer("GET")
	}
}

// serveBytes sends answer to every request. It does not allocate per request.
func serveBytes(t *testing.T, answer string) (addr string) {
	return serveEach(t, func(nc net.Conn) {
		out, in := []byte(answer), make([]byte, 4<<10)
		for {
			if _, err := nc.Read(in); err != nil {
				return
			}
			nc.Write(out)
		}
	})
}
