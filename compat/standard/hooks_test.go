package standard

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// diary collects what hooks saw.
type diary struct {
	mu    sync.Mutex
	lines []string
	grown chan struct{}
}

func newDiary() *diary { return &diary{grown: make(chan struct{}, 1000)} }

func (d *diary) addf(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
	d.grown <- struct{}{}
}

// until waits until there are n lines and returns all.
func (d *diary) until(t *testing.T, n int) []string {
	t.Helper()
	for {
		d.mu.Lock()
		lines := slices.Clone(d.lines)
		d.mu.Unlock()
		if len(lines) >= n {
			return lines
		}
		both.Receive(t, d.grown, fmt.Sprintf("line %d of %d", len(lines)+1, n))
	}
}

// ConnState is told of the same states in the same order on both servers.
func TestConnState(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hijack" {
			nc, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			nc.Close()
			return
		}
		io.Copy(w, r.Body)
	})
	for _, talk := range []struct {
		name, say string
		closes    bool // the client ends it
		want      []string
	}{
		{"one request", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", true, []string{"new", "active", "idle", "closed"}},
		{"close", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", false, []string{"new", "active", "closed"}},
		{"malformed", "what\r\n\r\n", false, []string{"new", "active", "closed"}},
		{"hijack", "GET /hijack HTTP/1.1\r\nHost: x\r\n\r\n", false, []string{"new", "active", "hijacked"}},
		{"nothing", "", true, []string{"new", "closed"}},
	} {
		t.Run(talk.name, func(t *testing.T) {
			if talk.name == "malformed" {
				both.NeedsHTTP1(t, "net/http waits longer where it may speak HTTP/2 without TLS")
			}
			var d *diary
			both.RunServer(t, func() *http.Server {
				d = newDiary()
				return &http.Server{Handler: h, ConnState: func(_ net.Conn, s http.ConnState) { d.addf("%v", s) }}
			}, func(t *testing.T, s *both.Site) {
				p := s.Dial(t)
				p.Say(talk.say)
				if talk.say == "" {
					d.until(t, 1)
					p.Close()
				} else if talk.closes {
					p.Response("GET")
					d.until(t, 3)
					p.Close()
				} else {
					p.Rest()
				}
				if got := d.until(t, len(talk.want)); !slices.Equal(got, talk.want) {
					t.Errorf("%s: %v, want %v", s.Name, got, talk.want)
				}
			})
		})
	}
}

type contextKey string

// BaseContext and ConnContext are in the request's context on both servers.
func TestContexts(t *testing.T) {
	t.Parallel()
	both.SameServer(t, func() *http.Server {
		std := &http.Server{}
		std.BaseContext = func(l net.Listener) context.Context {
			return context.WithValue(context.Background(), contextKey("base"), overNetwork(l.Addr().Network()))
		}
		conns := 0
		std.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
			conns++
			same := ctx.Value(http.ServerContextKey) == any(std)
			return context.WithValue(ctx, contextKey("conn"), fmt.Sprint(conns, same, c.RemoteAddr() != nil))
		}
		std.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx := r.Context()
			local := ctx.Value(http.LocalAddrContextKey).(net.Addr)
			fmt.Fprintln(w, ctx.Value(contextKey("base")), ctx.Value(contextKey("conn")),
				ctx.Value(http.ServerContextKey) == any(std), overNetwork(local.Network()), ctx.Err())
		})
		return std
	}, []both.Request{both.Get(200, "/"), both.Get(200, "/"), both.Post(200, "/", "x")})
}

// overNetwork says tcp also for udp, which is HTTP/3's.
func overNetwork(name string) string { return strings.Replace(name, "udp", "tcp", 1) }

// Messages about panics go to ErrorLog on both servers.
func TestErrorLog(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var logged bytes.Buffer
	both.RunServer(t, func() *http.Server {
		logged.Reset()
		return &http.Server{
			Handler:  http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("of the handler") }),
			ErrorLog: log.New(lockedWriter{&mu, &logged}, "prefix: ", 0),
		}
	}, func(t *testing.T, s *both.Site) {
		if x := s.Do(t, both.Get(0, "/")); x.Failure == "" {
			t.Errorf("a response after a panic: %v", x)
		}
		ctx, cancel := context.WithTimeout(t.Context(), both.Patience)
		defer cancel()
		if err := s.Server.Shutdown(ctx); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		defer mu.Unlock()
		text := logged.String()
		if !strings.HasPrefix(text, "prefix: ") || !strings.Contains(text, "of the handler") ||
			!strings.Contains(text, "hooks_test.go") {
			t.Errorf("%s logged %q", s.Name, text)
		}
	})
}

type lockedWriter struct {
	mu *sync.Mutex
	io.Writer
}

func (w lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Writer.Write(p)
}
