package nethttp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// lines is a log writer that a test can wait for.
type lines chan string

func (l lines) Write(p []byte) (int, error) { l <- string(p); return len(p), nil }

func TestListenAndServe(t *testing.T) {
	// Addr is used: an invalid address is refused.
	for _, err := range []error{
		nethttp.ListenAndServe("no address", nil),
		nethttp.ListenAndServeTLS("no address", "", "", nil),
		(&nethttp.Server{Addr: "no address"}).ListenAndServe(),
	} {
		if _, ok := errors.AsType[*net.OpError](err); !ok {
			t.Errorf("%v", err)
		}
	}
}

var registerDefault = sync.OnceFunc(func() {
	http.HandleFunc("/nethttp-default", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "default") })
})

func TestServeFunctionsUseTheDefaultMux(t *testing.T) {
	registerDefault()
	l := listen(t)
	ended := make(chan error)
	go func() { ended <- nethttp.Serve(l, nil) }()
	c := client(t)
	if _, body := get(t, c, request(t, "GET", "http://"+l.Addr().String()+"/nethttp-default", nil)); body != "default" {
		t.Errorf("%q", body)
	}
	c.CloseIdleConnections()
	l.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve returned %v", err)
	}
}

func TestGeneralOptionsHandlerCanBeDisabled(t *testing.T) {
	configure := func() *http.Server {
		return &http.Server{DisableGeneralOptionsHandler: true, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, r.Method, " ", r.URL.Path, " ", r.RequestURI)
		})}
	}
	withBoth(t, configure, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.say("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")
		if got := p.answer("OPTIONS"); !strings.HasSuffix(got, "\nOPTIONS * *\n") {
			t.Errorf("got:\n%s", got)
		}
	})
}

func TestReadHeaderTimeout(t *testing.T) {
	for name, s := range map[string]*nethttp.Server{
		"ReadHeaderTimeout":        {ReadHeaderTimeout: 30 * time.Millisecond},
		"ReadTimeout in its place": {ReadTimeout: 30 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			s.ErrorLog = quiet()
			p := dial(t, serveOurs(t, s))
			p.say("GET / HTTP/1.1\r\nHo")
			if got := p.answer("GET"); got != "closed\n" {
				t.Errorf("got:\n%s", got)
			}
		})
	}
}

func TestReadTimeout(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		failed <- err
	})
	p := dial(t, serveOurs(t, &nethttp.Server{Handler: h, ReadTimeout: time.Second, ErrorLog: quiet()}))
	p.say("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
	if err := <-failed; err == nil {
		t.Error("the body was read")
	}
	// The handler has sent nothing: the server sends the fitting response.
	if got := p.answer("POST"); !strings.HasPrefix(got, "HTTP/1.1 408 ") {
		t.Errorf("got:\n%s", got)
	}
}

func TestWriteTimeout(t *testing.T) {
	failed := make(chan error, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		large := make([]byte, 1<<20)
		for {
			if _, err := w.Write(large); err != nil {
				failed <- err
				return
			}
		}
	})
	p := dial(t, serveOurs(t, &nethttp.Server{Handler: h, WriteTimeout: 50 * time.Millisecond, ErrorLog: quiet()}))
	p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if err := <-failed; err == nil {
		t.Error("all was written")
	}
}

// A response written after WriteTimeout is not sent, although the client would read it.
func TestWriteTimeoutOfASlowHandler(t *testing.T) {
	t.Parallel()
	const limit = 50 * time.Millisecond
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(4 * limit)
		io.WriteString(w, "late")
	})
	configure := func() *http.Server { return &http.Server{Handler: h, WriteTimeout: limit} }
	withBoth(t, configure, func(t *testing.T, addr string) {
		p := dial(t, addr)
		p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		if got := p.answer("GET"); got != "closed\n" {
			t.Errorf("got:\n%s", got)
		}
	})
}

func TestIdleTimeout(t *testing.T) {
	p := dial(t, serveOurs(t, &nethttp.Server{IdleTimeout: 30 * time.Millisecond, ErrorLog: quiet(), Handler: http.NotFoundHandler()}))
	p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	p.answer("GET")
	if got := p.answer("GET"); got != "closed\n" {
		t.Errorf("got:\n%s", got)
	}
}

func TestMaxHeaderBytes(t *testing.T) {
	p := dial(t, serveOurs(t, &nethttp.Server{MaxHeaderBytes: 1000, ErrorLog: quiet()}))
	p.sayf("GET / HTTP/1.1\r\nHost: a\r\nX-Long: %s\r\n\r\n", strings.Repeat("x", 1000))
	if got := p.answer("GET"); !strings.HasPrefix(got, "HTTP/1.1 431 ") {
		t.Errorf("got:\n%s", got)
	}
}

func TestConnState(t *testing.T) {
	var mu sync.Mutex
	var states []http.ConnState
	closed := make(chan bool, 1)
	configure := func() *http.Server {
		states = nil
		return &http.Server{Handler: http.NotFoundHandler(), ConnState: func(nc net.Conn, s http.ConnState) {
			mu.Lock()
			defer mu.Unlock()
			if nc == nil {
				t.Error("no connection")
			}
			states = append(states, s)
			if s == http.StateClosed {
				closed <- true
			}
		}}
	}
	withBoth(t, configure, func(t *testing.T, addr string) {
		p := dial(t, addr)
		for range 2 {
			p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
			p.answer("GET")
		}
		p.Close()
		<-closed
		want := []http.ConnState{http.StateNew, http.StateActive, http.StateIdle, http.StateActive, http.StateIdle, http.StateClosed}
		mu.Lock()
		defer mu.Unlock()
		if !slices.Equal(states, want) {
			t.Errorf("%v, want %v", states, want)
		}
	})
}

func TestErrorLog(t *testing.T) {
	log1 := make(lines, 10)
	configure := func() *http.Server {
		return &http.Server{ErrorLog: log.New(log1, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/panic":
				panic("oops")
			case "/abort":
				panic(http.ErrAbortHandler)
			case "/superfluous":
				w.WriteHeader(200)
				w.WriteHeader(201)
			case "/length":
				w.Header().Set("Content-Length", "many")
				w.WriteHeader(200)
			case "/hijacked":
				nc, _, _ := w.(http.Hijacker).Hijack()
				nc.Close()
				w.Write([]byte("x"))
				panic("afterwards")
			}
		})}
	}
	withBoth(t, configure, func(t *testing.T, addr string) {
		for _, test := range []struct{ path, begins, holds string }{
			{"/panic", "http: panic serving 127.0.0.1:", ": oops\ngoroutine "},
			{"/superfluous", "http: superfluous response.WriteHeader call from ", "/nethttp_test.TestErrorLog.func"},
			{"/length", `http: invalid Content-Length of "many"`, ""},
			{"/hijacked", "http: response.Write on hijacked connection from ", "/nethttp_test.TestErrorLog.func"},
			{"", "http: panic serving 127.0.0.1:", ": afterwards\n"},
			{"/abort", "", ""},
		} {
			if test.path != "" {
				p := dial(t, addr)
				p.sayf("GET %s HTTP/1.1\r\nHost: a\r\n\r\n", test.path)
				p.answer("GET")
				p.Close()
			}
			if test.begins == "" {
				continue
			}
			if line := <-log1; !strings.HasPrefix(line, test.begins) || !strings.Contains(line, test.holds) {
				t.Errorf("%s: %.200q", test.path, line)
			}
		}
		if len(log1) > 0 {
			t.Errorf("logged on top: %q", <-log1)
		}
	})
}

func TestLogger(t *testing.T) {
	logged := make(lines, 10)
	s := &nethttp.Server{
		Logger:  slog.New(slog.NewTextHandler(logged, nil)),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { panic("oops") }),
	}
	p := dial(t, serveOurs(t, s))
	p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if line := <-logged; !strings.Contains(line, `level=ERROR msg="http: panic serving 127.0.0.1:`) {
		t.Errorf("%.200q", line)
	}
	if n := s.Stats().Panics; n != 1 {
		t.Errorf("%d panics counted", n)
	}
}

func TestSetKeepAlivesEnabled(t *testing.T) {
	s := &nethttp.Server{Handler: http.NotFoundHandler(), ErrorLog: quiet()}
	p := dial(t, serveOurs(t, s))
	for _, on := range []bool{true, false} {
		s.SetKeepAlivesEnabled(on)
		p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		if got := p.answer("GET"); strings.Contains(got, "(closes)") == on {
			t.Errorf("enabled %v:\n%s", on, got)
		}
	}
}

func TestShutdown(t *testing.T) {
	t.Parallel()
	called, entered, leave := make(chan bool, 2), make(chan bool), make(chan bool)
	std := &http.Server{ErrorLog: quiet(), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entered <- true
		<-leave
		io.WriteString(w, "finished")
	})}
	std.RegisterOnShutdown(func() { called <- true })
	s := nethttp.FromServer(std)
	s.RegisterOnShutdown(func() { called <- true })
	l := listen(t)
	served := make(chan error)
	go func() { served <- s.Serve(l) }()
	busy, idle := dial(t, l.Addr().String()), dial(t, l.Addr().String())
	idle.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	<-entered
	leave <- true
	idle.answer("GET")
	busy.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	<-entered

	down := make(chan error)
	go func() { down <- s.Shutdown(context.Background()) }()
	<-called
	<-called
	if err := <-served; err != http.ErrServerClosed {
		t.Errorf("Serve returned %v", err)
	}
	if got := idle.answer("GET"); got != "closed\n" {
		t.Errorf("the idle connection:\n%s", got)
	}
	leave <- true
	if got := busy.answer("GET"); !strings.Contains(got, "(closes)") || !strings.HasSuffix(got, "\nfinished\n") {
		t.Errorf("the busy connection:\n%s", got)
	}
	if err := <-down; err != nil {
		t.Errorf("Shutdown returned %v", err)
	}
	if err := s.Serve(listen(t)); err != http.ErrServerClosed {
		t.Errorf("Serve returned %v afterwards", err)
	}
}

// Fields that are set after RegisterOnShutdown, SetKeepAlivesEnabled and Stats, but before Serve, apply.
func TestFieldsCountUntilItServes(t *testing.T) {
	called := make(chan bool, 1)
	s := &nethttp.Server{ErrorLog: quiet()}
	s.RegisterOnShutdown(func() { called <- true })
	s.SetKeepAlivesEnabled(true)
	if st := s.Stats(); st != (server.Stats{}) {
		t.Errorf("%+v before it serves", st)
	}
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		std := r.Context().Value(http.ServerContextKey).(*http.Server)
		fmt.Fprint(w, std.Handler != nil)
	})
	p := dial(t, serveOurs(t, s))
	p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if got := p.answer("GET"); !strings.HasSuffix(got, "\ntrue\n") {
		t.Errorf("got:\n%s", got)
	}
	p.Close()
	s.Shutdown(context.Background())
	<-called
}

func TestCloseEndsBusyConnections(t *testing.T) {
	entered, ended := make(chan bool), make(chan bool)
	s := &nethttp.Server{ErrorLog: quiet(), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entered <- true
		<-r.Context().Done()
		ended <- true
	})}
	p := dial(t, serveOurs(t, s))
	p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	<-entered
	if err := s.Close(); err != nil {
		t.Errorf("Close returned %v", err)
	}
	<-ended
	if got := p.answer("GET"); got != "closed\n" {
		t.Errorf("got:\n%s", got)
	}
}

func TestHandlerOnANativeServer(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		srv, _ := r.Context().Value(http.ServerContextKey).(*http.Server)
		fmt.Fprint(w, r.URL, " ", r.RemoteAddr != "", " ", srv != nil && srv.Handler != nil, " ", r.Context().Value(http.LocalAddrContextKey))
	})
	s := server.NewServer(server.Config{Handler: nethttp.Handler(h)})
	l := listen(t)
	ended := make(chan bool)
	go func() { s.Serve(l); close(ended) }()
	defer func() { s.Close(); <-ended }()
	p := dial(t, l.Addr().String())
	p.say("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
	if got := p.answer("GET"); !strings.HasSuffix(got, "\n/x true true "+l.Addr().String()+"\n") {
		t.Errorf("got:\n%s", got)
	}
}

func TestGoexitEndsTheConnection(t *testing.T) {
	var out bytes.Buffer
	s := &nethttp.Server{ErrorLog: log.New(&out, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "lost")
		runtime.Goexit()
	})}
	p := dial(t, serveOurs(t, s))
	p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if got := p.answer("GET"); got != "closed\n" {
		t.Errorf("got:\n%s", got)
	}
}
