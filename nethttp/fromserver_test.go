package nethttp_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

func says(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, text) })
}

// Server has all exported fields of http.Server, with the same types, so a literal of one compiles for the other.
func TestFieldsOfHTTPServer(t *testing.T) {
	ours := reflect.TypeFor[nethttp.Server]()
	for _, f := range reflect.VisibleFields(reflect.TypeFor[http.Server]()) {
		if g, ok := ours.FieldByName(f.Name); f.IsExported() && (!ok || g.Type != f.Type) {
			t.Errorf("%s %s is missing", f.Name, f.Type)
		}
	}
}

func TestFromServer(t *testing.T) {
	std := &http.Server{ErrorLog: quiet(), ReadTimeout: time.Hour, Protocols: new(http.Protocols)}
	std.Protocols.SetHTTP1(true)
	std.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Context().Value(http.ServerContextKey) == std)
	})
	s := nethttp.FromServer(std)
	if s.ReadTimeout != time.Hour || s.Protocols != std.Protocols {
		t.Error("settings are missing")
	}
	addr := serveOurs(t, s)
	if _, body := get(t, client(t), request(t, "GET", "http://"+addr, nil)); body != "true" {
		t.Error("the context does not hold the server it was made from")
	}
	if st := s.Stats(); st.Requests != 1 || st.Connections != 1 {
		t.Errorf("%+v", st)
	}
}

// Fields of the http.Server that are set after FromServer apply, unless the Server's own field is set.
func TestFromServerFollows(t *testing.T) {
	type key struct{}
	opened := make(chan string, 10)
	std := &http.Server{Handler: says("first"), ErrorLog: quiet(), MaxHeaderBytes: 1 << 20}
	s := nethttp.FromServer(std)
	std.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Context().Value(key{})) })
	std.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, key{}, "set later")
	}
	std.ConnState = func(_ net.Conn, state http.ConnState) { opened <- "std's" }
	s.ConnState = func(_ net.Conn, state http.ConnState) { opened <- "ours" }
	std.MaxHeaderBytes = 1000
	addr := serveOurs(t, s)

	p := dial(t, addr)
	p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if got := p.answer("GET"); !strings.HasSuffix(got, "\nset later\n") {
		t.Errorf("got:\n%s", got)
	}
	if got := <-opened; got != "ours" {
		t.Errorf("%s ConnState was called: the Server's own goes before it", got)
	}
	std.Handler = says("while serving")
	p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if got := p.answer("GET"); !strings.HasSuffix(got, "\nwhile serving\n") {
		t.Errorf("got:\n%s", got)
	}
	p.sayf("GET / HTTP/1.1\r\nHost: a\r\nX-Long: %02000d\r\n\r\n", 1)
	if got := p.answer("GET"); !strings.HasPrefix(got, "HTTP/1.1 431 ") {
		t.Errorf("got:\n%s", got)
	}
}

// A Handler that wraps the one set by FromServer also sees a Handler set on the http.Server later.
func TestFromServerWrapsTheHandler(t *testing.T) {
	std := &http.Server{ErrorLog: quiet()}
	s := nethttp.FromServer(std)
	inner := s.Handler
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "outer ")
		inner.ServeHTTP(w, r)
	})
	std.Handler = says("inner")
	if _, body := get(t, client(t), request(t, "GET", "http://"+serveOurs(t, s), nil)); body != "outer inner" {
		t.Errorf("%q", body)
	}
}

// gated is a listener that accepts one connection for each value in open. What was done before such a value was sent is
// then visible.
type gated struct {
	net.Listener
	open chan bool
}

func (g gated) Accept() (net.Conn, error) {
	c, err := g.Listener.Accept()
	if err == nil {
		<-g.open
	}
	return c, err
}

func TestLateChangesAreLogged(t *testing.T) {
	logged := make(lines, 10)
	std := &http.Server{Handler: says(""), ErrorLog: log.New(logged, "", 0)}
	s, l := nethttp.FromServer(std), gated{listen(t), make(chan bool)}
	std.ReadTimeout = time.Hour // it is not late
	ended := make(chan bool)
	go func() { s.Serve(l); close(ended) }()
	defer func() { s.Close(); <-ended }()
	request := func() {
		p := dial(t, l.Addr().String())
		l.open <- true
		p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		p.answer("GET")
	}
	request()
	std.IdleTimeout = time.Minute
	std.ConnState = func(net.Conn, http.ConnState) {}
	request()
	request()
	if line := <-logged; !strings.Contains(line, "IdleTimeout, ConnState") || len(logged) > 0 {
		t.Errorf("logged %q and %d more", line, len(logged))
	}
}

// SetKeepAlivesEnabled of the *http.Server that a handler finds in its context changes our server.
func TestSetKeepAlivesEnabledOfTheStandardServer(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Context().Value(http.ServerContextKey).(*http.Server).SetKeepAlivesEnabled(r.URL.Path == "/on")
	})
	for name, s := range map[string]*nethttp.Server{
		"FromServer": nethttp.FromServer(&http.Server{Handler: h, ErrorLog: quiet()}),
		"Server":     {Handler: h, ErrorLog: quiet()},
	} {
		t.Run(name, func(t *testing.T) {
			p := dial(t, serveOurs(t, s))
			for _, path := range []string{"/on", "/off"} {
				p.sayf("GET %s HTTP/1.1\r\nHost: a\r\n\r\n", path)
				if got := p.answer("GET"); strings.Contains(got, "(closes)") == (path == "/on") {
					t.Errorf("%s:\n%s", path, got)
				}
			}
		})
	}
}

func TestShutdownOfTheStandardServer(t *testing.T) {
	t.Parallel()
	logged := make(lines, 10)
	entered, leave := make(chan bool), make(chan bool)
	std := &http.Server{ErrorLog: log.New(logged, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entered <- true
		<-leave
		io.WriteString(w, "finished")
	})}
	s := nethttp.FromServer(std)
	l := listen(t)
	served := make(chan error)
	go func() { served <- s.Serve(l) }()
	busy := dial(t, l.Addr().String())
	busy.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	<-entered
	if err := std.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if err := <-served; err != http.ErrServerClosed {
		t.Errorf("Serve returned %v", err)
	}
	if line := <-logged; !strings.Contains(line, "does not wait") {
		t.Errorf("logged %q", line)
	}
	leave <- true
	if got := busy.answer("GET"); !strings.Contains(got, "(closes)") || !strings.HasSuffix(got, "\nfinished\n") {
		t.Errorf("the busy connection:\n%s", got)
	}
	if err := s.Shutdown(context.Background()); err != nil || len(logged) > 0 {
		t.Errorf("Shutdown: %v; logged %d more", err, len(logged))
	}
}

func TestCloseOfTheStandardServer(t *testing.T) {
	logged := make(lines, 10)
	std := &http.Server{ErrorLog: log.New(logged, "", 0), Handler: says("")}
	s := nethttp.FromServer(std)
	l := listen(t)
	served := make(chan error)
	go func() { served <- s.Serve(l) }()
	open := dial(t, l.Addr().String())
	open.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	open.answer("GET")
	std.Close()
	open.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if got := open.answer("GET"); !strings.Contains(got, "(closes)") {
		t.Errorf("an open connection goes on:\n%s", got)
	}
	dial(t, l.Addr().String())
	if err := <-served; err != http.ErrServerClosed {
		t.Errorf("Serve returned %v", err)
	}
	if line := <-logged; !strings.Contains(line, "Close of the http.Server") {
		t.Errorf("logged %q", line)
	}
	s.Close()
}

// A server speaks exactly the protocols that Protocols and TLSNextProto name.
func TestProtocols(t *testing.T) {
	protocols := func(set ...func(*http.Protocols, bool)) *http.Protocols {
		p := new(http.Protocols)
		for _, f := range set {
			f(p, true)
		}
		return p
	}
	h1, h2 := (*http.Protocols).SetHTTP1, (*http.Protocols).SetHTTP2
	h2c := (*http.Protocols).SetUnencryptedHTTP2
	next := func(names ...string) map[string]func(*http.Server, *tls.Conn, http.Handler) {
		m := map[string]func(*http.Server, *tls.Conn, http.Handler){}
		for _, name := range names {
			m[name] = func(*http.Server, *tls.Conn, http.Handler) {}
		}
		return m
	}
	cert, trusting := certificate()
	const settings, version = "\x00\x00", "HTTP/1.1 505"
	for _, tc := range []struct {
		name   string
		s      *nethttp.Server
		agreed string // over TLS with a client that speaks both
		hears  string // a client that sends the preface of HTTP/2 without TLS
	}{
		{"nothing", &nethttp.Server{}, "h2", settings},
		{"HTTP/1", &nethttp.Server{Protocols: protocols(h1)}, "http/1.1", version},
		{"both", &nethttp.Server{Protocols: protocols(h1, h2)}, "h2", version},
		{"both in cleartext", &nethttp.Server{Protocols: protocols(h1, h2c)}, "http/1.1", settings},
		{"HTTP/2", &nethttp.Server{Protocols: protocols(h2)}, "h2", ""},
		{"HTTP/2 in cleartext", &nethttp.Server{Protocols: protocols(h2c)}, "", settings},
		{"settings", &nethttp.Server{HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 7}}, "h2", settings + "\x18\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x07"},
		{"switched off by TLSNextProto", &nethttp.Server{TLSNextProto: next()}, "http/1.1", settings},
		{"ALPN", &nethttp.Server{TLSConfig: &tls.Config{NextProtos: []string{"http/1.1"}}}, "h2", settings},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := tc.s
			if s.TLSConfig == nil {
				s.TLSConfig = new(tls.Config)
			}
			s.TLSConfig.Certificates = []tls.Certificate{cert}
			s.Handler, s.ErrorLog = says(""), quiet()
			secure, plain := listen(t), listen(t)
			ended := make(chan error, 2)
			go func() { ended <- s.ServeTLS(secure, "", "") }()
			go func() { ended <- s.Serve(plain) }()
			mine := trusting.Clone()
			mine.NextProtos = []string{"h2", "http/1.1"}
			if nc, err := tls.Dial("tcp", secure.Addr().String(), mine); err == nil {
				if got := nc.ConnectionState().NegotiatedProtocol; got != tc.agreed && tc.agreed != "" {
					t.Errorf("agreed on %q, want %q", got, tc.agreed)
				}
				nc.Close()
			} else if tc.agreed != "" {
				t.Error(err)
			}
			if tc.hears != "" {
				nc, err := net.Dial("tcp", plain.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				io.WriteString(nc, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
				got := make([]byte, len(tc.hears))
				if _, err := io.ReadFull(nc, got); string(got) != tc.hears {
					t.Errorf("heard %q, %v, want %q", got, err, tc.hears)
				}
				nc.Close()
			}
			s.Close()
			for range 2 {
				if err := <-ended; err != http.ErrServerClosed {
					t.Error(err)
				}
			}
		})
	}
	if err := (&nethttp.Server{Protocols: protocols()}).Serve(listen(t)); err == nil || err == http.ErrServerClosed {
		t.Errorf("without any protocol: %v", err)
	}
}

// atomicBoolField finds a flag of http.Server, and returns a new one where there is no such field or it has another type.
func TestSwitches(t *testing.T) {
	std := &http.Server{Addr: "a"}
	known, other, none := nethttp.AtomicBoolField(std, "disableKeepAlives"), nethttp.AtomicBoolField(std, "Addr"), nethttp.AtomicBoolField(std, "noSuchField")
	std.SetKeepAlivesEnabled(false)
	other.Store(true)
	if !known.Load() || std.Addr != "a" || none.Load() {
		t.Error("net/http's own is not found, or something else is")
	}
}

// The *http.Server under http.ServerContextKey has the settings of the Server.
func TestTheStandardServerIsDescribed(t *testing.T) {
	s := &nethttp.Server{ReadTimeout: time.Hour, MaxHeaderBytes: 12345, ErrorLog: quiet()}
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		std := r.Context().Value(http.ServerContextKey).(*http.Server)
		fmt.Fprint(w, std.ReadTimeout == s.ReadTimeout, std.MaxHeaderBytes, std.ErrorLog == s.ErrorLog, std.Handler != nil)
	})
	if _, body := get(t, client(t), request(t, "GET", "http://"+serveOurs(t, s), nil)); body != "true 12345 true true" {
		t.Errorf("%q", body)
	}
}

// While FromServer's Server serves, it logs to the ErrorLog that the http.Server has then, as net/http does, unless its
// own ErrorLog is set.
func TestErrorLogOfTheMoment(t *testing.T) {
	for _, which := range []string{"std's", "std's, set late", "own"} {
		var mine, first, second strings.Builder
		std := &http.Server{Handler: http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(200)
				w.WriteHeader(200) // superfluous
			})}
		if which != "std's, set late" {
			std.ErrorLog = log.New(&first, "", 0)
		}
		s := nethttp.FromServer(std)
		switch which {
		case "own":
			s.ErrorLog = log.New(&mine, "", 0)
		case "std's, set late":
			std.ErrorLog = log.New(&first, "", 0)
		}
		l := listen(t)
		ended := make(chan struct{})
		go func() { s.Serve(l); close(ended) }()
		p := dial(t, l.Addr().String())
		for range 2 {
			p.say("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
			p.answer("GET")
			std.ErrorLog = log.New(&second, "", 0)
		}
		s.Close()
		<-ended
		got := []int{strings.Count(mine.String(), "superfluous"), strings.Count(first.String(), "superfluous"),
			strings.Count(second.String(), "superfluous")}
		want := []int{0, 1, 1}
		if which == "own" {
			want = []int{2, 0, 0}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d lines, want %d", which, got, want)
		}
	}
}
