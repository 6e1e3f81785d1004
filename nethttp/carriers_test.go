package nethttp_test

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/nethttp"
	"golang.org/x/net/http2"
)

// carrier is a way in which requests reach a handler.
type carrier struct {
	name   string
	secure bool // over TLS
	h2     bool
	wrap   func(l net.Listener) net.Listener // changes the server's listener, if not nil
	byRead bool                              // only a read notices the client's end
}

var carriers = []carrier{
	{name: "http1"},
	{name: "http1, a listener of the program's", wrap: func(l net.Listener) net.Listener { return struct{ net.Listener }{l} }},
	{name: "http1, wrapped connections", wrap: func(l net.Listener) net.Listener { return wrapping{l} }, byRead: true},
	{name: "http1, net.Pipe", wrap: newPipes, byRead: true},
	{name: "http1, tls", secure: true},
	{name: "http1, tls of the program's", secure: true, wrap: func(l net.Listener) net.Listener {
		cert, _ := certificate()
		return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{cert}})
	}},
	{name: "http2", h2: true},
	{name: "http2, tls", h2: true, secure: true},
	{name: "http2, net.Pipe", h2: true, wrap: newPipes, byRead: true},
}

// wrapping hides the descriptors of the connections that it accepts.
type wrapping struct{ net.Listener }

func (l wrapping) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return struct{ net.Conn }{nc}, nil
}

// pipes is a listener of net.Pipes.
type pipes struct {
	near  chan net.Conn
	over  chan struct{}
	close func()
}

func newPipes(instead net.Listener) net.Listener {
	instead.Close()
	over := make(chan struct{})
	return &pipes{make(chan net.Conn), over, sync.OnceFunc(func() { close(over) })}
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case nc := <-l.near:
		return nc, nil
	case <-l.over:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error   { l.close(); return nil }
func (l *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// served is a server that is reached through a carrier.
type served struct {
	carrier
	ours     bool
	close    func() error // the server's Close
	l        net.Listener
	trusting *tls.Config
}

// onBoth runs test with net/http's server and with ours, each serving h over k.
func (k carrier) onBoth(t *testing.T, h http.Handler, test func(t *testing.T, s *served)) {
	for _, name := range []string{"std", "ours"} {
		t.Run(name, func(t *testing.T) { test(t, k.serve(t, name == "ours", h)) })
	}
}

func (k carrier) serve(t *testing.T, ours bool, h http.Handler) *served {
	std := &http.Server{Handler: h, ErrorLog: quiet(), Protocols: new(http.Protocols)}
	std.Protocols.SetHTTP1(!k.h2)
	std.Protocols.SetHTTP2(k.h2 && k.secure)
	std.Protocols.SetUnencryptedHTTP2(k.h2 && !k.secure)
	s := &served{carrier: k, ours: ours, close: std.Close, l: listen(t)}
	serve, serveTLS := std.Serve, std.ServeTLS
	if k.secure {
		var cert tls.Certificate
		cert, s.trusting = certificate()
		std.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}}
	}
	if k.wrap != nil {
		s.l = k.wrap(s.l)
	}
	if ours {
		own := nethttp.FromServer(std)
		s.close, serve, serveTLS = own.Close, own.Serve, own.ServeTLS
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if k.secure && k.wrap == nil {
			serveTLS(s.l, "", "")
		} else {
			serve(s.l)
		}
	}()
	t.Cleanup(func() { s.close(); <-ended })
	return s
}

// link is a client's connection. socket is its socket, or nil.
type link struct {
	net.Conn
	socket *net.TCPConn
}

func (s *served) dial(t *testing.T) link {
	t.Helper()
	if l, ok := s.l.(*pipes); ok {
		near, far := net.Pipe()
		l.near <- near
		t.Cleanup(func() { far.Close() })
		return link{far, nil}
	}
	nc, err := net.Dial("tcp", s.l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	nc.SetDeadline(time.Now().Add(patience))
	k := link{nc, nc.(*net.TCPConn)}
	if s.secure {
		cfg := s.trusting.Clone()
		if s.h2 {
			cfg.NextProtos = []string{"h2"}
		}
		k.Conn = tls.Client(nc, cfg)
	}
	return k
}

// asking is a client that has sent several requests: each on its own connection with HTTP/1.1, otherwise as streams of
// one connection.
type asking struct {
	t     *testing.T
	links []link
	h2    *h2Client     // nil with HTTP/1.1
	ids   []uint32      // the streams
	acks  chan struct{} // PINGs that got an answer
}

// ask begins a POST to each of the paths. length is the Content-Length, and body is the part of it that is sent.
func (s *served) ask(t *testing.T, paths []string, length int, body string) *asking {
	t.Helper()
	a := &asking{t: t, acks: make(chan struct{}, 1)}
	if s.h2 {
		a.links = append(a.links, s.dial(t))
		a.h2 = h2Over(t, a.links[0])
		go a.read()
		for _, path := range paths {
			id := a.h2.request("POST", path, length == 0, "content-length", strconv.Itoa(length))
			if length > 0 {
				a.h2.Framer.WriteData(id, len(body) == length, []byte(body))
			}
			a.ids = append(a.ids, id)
		}
		return a
	}
	for _, path := range paths {
		k := s.dial(t)
		fmt.Fprintf(k, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", path, length, body)
		a.links = append(a.links, k)
	}
	return a
}

// read reads what the server sends over HTTP/2.
func (a *asking) read() {
	for {
		f, err := a.h2.Framer.ReadFrame()
		if err != nil {
			return
		}
		if f.Header().Type == http2.FramePing && f.Header().Flags.Has(http2.FlagPingAck) {
			a.acks <- struct{}{}
		}
	}
}

// leavings are the ways in which a client can leave.
var leavings = map[string]func(a *asking){
	"close": func(a *asking) {
		for _, k := range a.links {
			k.Close()
		}
	},
	"reset": func(a *asking) {
		for _, k := range a.links {
			k.socket.SetLinger(0)
			k.socket.Close()
		}
	},
	"half": func(a *asking) {
		for _, k := range a.links {
			k.socket.CloseWrite()
		}
	},
	"RST_STREAM": func(a *asking) {
		for _, id := range a.ids {
			a.h2.Framer.WriteRSTStream(id, http2.ErrCodeCancel)
		}
		a.h2.Framer.WritePing(false, [8]byte{})
		wiretest.Within(a.t, "the acknowledgement of a PING", a.acks)
	},
}

// leaves reports whether a client of k can leave in that way.
func (k carrier) leaves(how string) bool {
	switch how {
	case "RST_STREAM":
		return k.h2
	case "close":
		return true
	}
	return !strings.HasSuffix(k.name, "net.Pipe")
}
