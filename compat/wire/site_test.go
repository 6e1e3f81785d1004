package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

// web is what our two kinds of server have in common, and net/http's but for Stats.
type web interface {
	Serve(l net.Listener) error
	ServeTLS(l net.Listener, certFile, keyFile string) error
	Shutdown(ctx context.Context) error
	Close() error
}

// face is a way to serve.
type face struct {
	name   string
	secure bool
	plain  bool // on the plain serve loop
	build  func(s *site, secrets *tls.Config) web
}

var faces = []face{
	{name: "native", build: native},
	{name: "native-plain-loop", build: native, plain: true},
	{name: "native-tls", build: native, secure: true},
	{name: "nethttp", build: ofNetHTTP},
}

// onEveryFace runs test on each bad network with a server of each face.
func onEveryFace(t *testing.T, test func(t *testing.T, s *site)) {
	onEvery(t, func(t *testing.T, open func(t *testing.T) network) {
		for _, f := range faces {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				test(t, f.serve(t, open(t)))
			})
		}
	})
}

// site is a server on a network. It ends with its test, which fails if a connection stays.
type site struct {
	network
	web
	secure bool
	group  *websocket.Group // of both ends
	begun  chan struct{}    // a call that lasts until something breaks it has begun
	ends   chan error       // and has ended
}

// serve serves on n until the test has ended.
func (f face) serve(t *testing.T, n network) *site {
	t.Helper()
	l, err := n.listen()
	if err != nil {
		t.Fatal(err)
	}
	if f.plain {
		l = plainListener{l}
	}
	s := &site{network: n, secure: f.secure, group: new(websocket.Group)}
	s.begun, s.ends = make(chan struct{}, 100), make(chan error, 100)
	var secrets *tls.Config
	serve := func() error { return s.Serve(l) }
	if f.secure {
		certificate, err := server.DevelopmentCertificate()
		if err != nil {
			t.Fatal(err)
		}
		secrets = &tls.Config{Certificates: []tls.Certificate{certificate}}
		serve = func() error { return s.ServeTLS(l, "", "") }
	}
	s.web = f.build(s, secrets)
	ended := make(chan error, 1)
	go func() { ended <- serve() }()
	t.Cleanup(func() { s.end(t, ended) })
	return s
}

// end shuts the server down, on which no connection may be left but idle ones.
func (s *site) end(t *testing.T, ended chan error) {
	if !within(func() bool { return s.group.Len() == 0 }) {
		for c := range s.group.All() {
			t.Errorf("a connection of package websocket from %v to %v is left, with error %v", c.LocalAddr(), c.RemoteAddr(), c.Err())
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := errors.Join(s.group.Shutdown(ctx), s.Shutdown(ctx)); err != nil {
		t.Errorf("the server does not end: %v", err)
	}
	s.Close()
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("Serve returned %v", err)
	}
}

// within waits for what comes a moment after what could be waited for, and reports whether it has come.
func within(isThere func() bool) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if isThere() {
			return true
		}
	}
	return isThere()
}

// plainListener wraps its connections: the latched loop is for exactly *net.TCPConn, so these get the plain one.
type plainListener struct{ net.Listener }

func (l plainListener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return struct{ net.Conn }{nc}, nil
}

func native(s *site, secrets *tls.Config) web {
	return server.NewServer(server.Config{TLSConfig: secrets, MaxBodyBytes: -1, Handler: server.HandlerFunc(s.respondNative)})
}

func ofNetHTTP(s *site, secrets *tls.Config) web {
	return nethttp.FromServer(&http.Server{TLSConfig: secrets, Handler: http.HandlerFunc(s.respondNetHTTP)})
}

func standard(s *site, secrets *tls.Config) web {
	return &http.Server{TLSConfig: secrets, Handler: http.HandlerFunc(s.respondNetHTTP)}
}
