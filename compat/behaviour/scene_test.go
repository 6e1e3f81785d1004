package behaviour

import (
	"context"
	"crypto/tls"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/nethttp"
)

// patience is how long a scene waits for what must come. No row depends on how fast it comes.
const patience = time.Minute

// host is what both servers can do.
type host interface {
	Serve(net.Listener) error
	ServeTLS(l net.Listener, certFile, keyFile string) error
	Shutdown(context.Context) error
	Close() error
	RegisterOnShutdown(func())
	SetKeepAlivesEnabled(bool)
}

// scene is one row on one server: the server, its clients, and the record of what was seen.
type scene struct {
	t    *testing.T
	ours bool
	host host

	quic *http3.Server // over HTTP/3

	version int    // of HTTP, which its clients speak
	model   *scene // over HTTP/3: the same row on the same server over HTTP/2
	addr    string
	log     both.Log

	detail detail // of what hear notes

	mu    sync.Mutex
	lines []string
	only1 string     // what a row says or looks at that only HTTP/1 has words for
	ended chan error // Serve's error
	last  []func()

	behind []func() // run behind the server's Close
}

func newScene(t *testing.T, ours bool, version int) *scene {
	return &scene{t: t, ours: ours, version: version}
}

// notef adds a line to the record. Handlers may call it; the rows see to it that the order is always the same.
func (s *scene) notef(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// wordless reports that a row over HTTP/2 or HTTP/3 sends or checks something that only HTTP/1 has.
func (s *scene) wordless(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.only1 = what
}

// record returns the lines recorded so far.
func (s *scene) record() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n") + "\n"
}

// toCome is the next line to be recorded if this record is equal to the model's.
func (s *scene) toCome() string {
	s.mu.Lock()
	n := len(s.lines)
	s.mu.Unlock()
	s.model.mu.Lock()
	defer s.model.mu.Unlock()
	if n < len(s.model.lines) {
		return s.model.lines[n]
	}
	return ""
}

// serve starts the server with a handler and nothing else set.
func (s *scene) serve(h http.Handler) { s.start(&http.Server{Handler: h}) }

// serveFunc is serve for a function.
func (s *scene) serveFunc(h http.HandlerFunc) { s.serve(h) }

// prepare makes the server from its settings; start and startTLS do it by themselves.
func (s *scene) prepare(std *http.Server) {
	if std.ErrorLog == nil {
		std.ErrorLog = log.New(&s.log, "", 0)
	}
	if s.version == 2 && std.Protocols == nil {
		std.Protocols = new(http.Protocols)
		std.Protocols.SetHTTP1(true)
		std.Protocols.SetHTTP2(true)
		std.Protocols.SetUnencryptedHTTP2(true)
	}
	s.host = std
	if s.ours {
		s.host = nethttp.FromServer(std)
	}
}

// start serves on a loopback address until the scene ends.
func (s *scene) start(std *http.Server) {
	if s.version == 3 {
		s.startQUIC(std)
		return
	}
	s.startOn(std, both.Listen(s.t))
}

func (s *scene) startOn(std *http.Server, l net.Listener) {
	if s.host == nil {
		s.prepare(std)
	}
	s.run(l, func() error { return s.host.Serve(l) })
}

// listen has the server, which runs, serve another address.
func (s *scene) listen() {
	if s.version == 3 {
		s.serveQUIC()
		return
	}
	l := both.Listen(s.t)
	s.run(l, func() error { return s.host.Serve(l) })
}

// startTLS is start over TLS.
func (s *scene) startTLS(std *http.Server) {
	if s.version == 3 {
		s.startQUIC(std)
		return
	}
	certify(std)
	if s.host == nil {
		s.prepare(std)
	}
	l := both.Listen(s.t)
	s.run(l, func() error { return s.host.ServeTLS(l, "", "") })
}

// certify gives std a certificate, unless it has one.
func certify(std *http.Server) {
	if std.TLSConfig == nil {
		std.TLSConfig = &tls.Config{}
	}
	if c := std.TLSConfig; c.GetCertificate == nil && c.GetConfigForClient == nil {
		c.Certificates = []tls.Certificate{certificate()}
	}
}

// startQUIC is start over QUIC.
func (s *scene) startQUIC(std *http.Server) {
	s.t.Helper()
	certify(std)
	if s.host == nil {
		s.prepare(std)
	}
	s.quic = http3.NewServer(s.host.(http3.Host), http3.Config{})
	s.serveQUIC()
}

// serveQUIC serves another socket.
func (s *scene) serveQUIC() {
	s.t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.addr = pc.LocalAddr().String()
	ended, served := make(chan error, 1), make(chan bool)
	s.ended = ended
	go func() {
		defer close(served)
		ended <- s.quic.Serve(pc, "", "")
		pc.Close()
	}()
	s.behind = append(s.behind, func() { <-served })
}

func (s *scene) run(l net.Listener, serve func() error) {
	if s.version == 3 {
		s.t.Fatal("HTTP/3 has no listeners")
	}
	s.addr = l.Addr().String()
	s.ended = make(chan error, 1)
	go func() { s.ended <- serve() }()
}

// later has f run when the scene ends, before the server is closed.
func (s *scene) later(f func()) { s.last = append(s.last, f) }

// end closes the clients' connections, then the server.
func (s *scene) end() {
	for _, f := range s.last {
		f()
	}
	if s.host != nil {
		s.host.Close()
	}
	for _, f := range s.behind {
		f()
	}
}

// await waits for c to be closed or to deliver.
func await[T any](s *scene, c <-chan T) (v T) {
	s.t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		s.t.Fatalf("nothing came. So far:\n%s", s.record())
	}
	return v
}

// until polls for what has no channel to wait on.
func (s *scene) until(what string, done func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("never: %s. So far:\n%s", what, s.record())
		}
	}
}
