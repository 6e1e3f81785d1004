package nethttptest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// Server is an HTTP server for tests, with httptest.Server's fields and methods. The fields may be set until Start or
// StartTLS; Config.Handler is read for every request.
type Server struct {
	URL      string // "http://host:port" without a slash at the end; set by Start and StartTLS
	Listener net.Listener

	// EnableHTTP2 enables HTTP/2 over TLS in the server and in Client.
	EnableHTTP2 bool

	// TLS configures StartTLS, which replaces it with a copy that has a certificate.
	TLS *tls.Config

	// Config holds the server's settings and its Handler. It is passed to nethttp.FromServer.
	Config *http.Server

	server      *nethttp.Server
	certificate *x509.Certificate
	client      *http.Client
	ended       chan struct{} // closed when Serve has returned
	closing     sync.Once
}

// NewServer starts a server on a port of the loopback interface that the system chooses. The caller must call Close
// when the test ends. Like httptest's, it panics if there is no port to listen on.
func NewServer(h http.Handler) *Server {
	s := NewUnstartedServer(h)
	s.Start()
	return s
}

// NewTLSServer is like NewServer, over TLS.
func NewTLSServer(h http.Handler) *Server {
	s := NewUnstartedServer(h)
	s.StartTLS()
	return s
}

// NewMemoryServer is like NewServer, but the server listens in memory. Only its Client can reach it, at
// http://example.com. If it is made in a testing/synctest bubble, all its goroutines are in the bubble, which may end
// after Close has returned.
func NewMemoryServer(h http.Handler) *Server {
	s := NewUnstartedMemoryServer(h)
	s.Start()
	return s
}

// NewUnstartedServer returns a server that listens but does not serve yet. The caller must call Start or StartTLS,
// and Close in the end.
func NewUnstartedServer(h http.Handler) *Server {
	return &Server{Listener: listen(), Config: &http.Server{Handler: h}}
}

// NewUnstartedMemoryServer is like NewUnstartedServer, but the server listens in memory.
func NewUnstartedMemoryServer(h http.Handler) *Server {
	return &Server{Listener: NewMemoryListener(), Config: &http.Server{Handler: h}}
}

func listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		return l
	}
	if l, err6 := net.Listen("tcp6", "[::1]:0"); err6 == nil {
		return l
	}
	panic("nethttptest: no port to listen on: " + err.Error())
}

// Start begins to serve. It panics if the server was started before.
func (s *Server) Start() {
	s.prepare("http", "80")
	s.serve(func() error { return s.server.Serve(s.Listener) })
}

// StartTLS begins to serve over TLS. It panics if the server was started before.
func (s *Server) StartTLS() {
	s.prepareTLS()
	s.prepare("https", "443")
	s.server.TLSConfig = s.TLS
	if !s.EnableHTTP2 && s.server.Protocols == nil {
		s.server.Protocols = new(http.Protocols)
		s.server.Protocols.SetHTTP1(true)
	}
	s.serve(func() error { return s.server.ServeTLS(s.Listener, "", "") })
}

// prepareTLS replaces s.TLS with a copy that has a certificate.
func (s *Server) prepareTLS() {
	s.mustNotBeStarted()
	s.TLS = s.TLS.Clone()
	if s.TLS == nil {
		s.TLS = new(tls.Config)
	}
	if len(s.TLS.Certificates) == 0 {
		s.TLS.Certificates = []tls.Certificate{defaultCertificate()}
	}
	var err error
	if s.certificate, err = x509.ParseCertificate(s.TLS.Certificates[0].Certificate[0]); err != nil {
		panic("nethttptest: StartTLS: " + err.Error())
	}
}

func (s *Server) mustNotBeStarted() {
	if s.URL != "" {
		panic("nethttptest: Server already started")
	}
}

// prepare creates the server and its client.
func (s *Server) prepare(scheme, port string) {
	s.mustNotBeStarted()
	if s.Config == nil {
		s.Config = new(http.Server)
	}
	s.URL = scheme + "://" + s.Listener.Addr().String()
	if _, ok := s.Listener.(*MemoryListener); ok {
		s.URL = scheme + "://" + host
	}
	tr := newTransport(s.dial(port), s.certificate)
	tr.ForceAttemptHTTP2 = s.EnableHTTP2
	s.client = &http.Client{Transport: tr}
	s.server = nethttp.FromServer(s.Config)
	s.server.FirstGrace = -1 // as in httptest: a client may have opened a connection that it does not use
}

func (s *Server) serve(serve func() error) {
	s.server.CloseConnections() // takes over the settings: from here on a test may set Config.ErrorLog
	s.ended = make(chan struct{})
	go func() {
		defer close(s.ended)
		serve()
	}()
}

// slowClose is how long Close waits before it logs why it is waiting.
const slowClose = 5 * time.Second

// Close stops listening, closes idle connections, including those of the Client and of http.DefaultTransport, and
// waits until all requests have been answered. It calls the functions registered with Config.RegisterOnShutdown. If
// it takes longer than 5 s, it writes the reason to the log package's standard logger.
func (s *Server) Close() {
	if s.server == nil {
		s.Listener.Close()
		return
	}
	s.closing.Do(func() {
		timer := time.AfterFunc(slowClose, func() {
			log.Printf("nethttptest: Server blocked in Close after %v, waiting for %d connections", slowClose,
				s.server.Stats().OpenConnections)
		})
		defer timer.Stop()
		down := make(chan struct{})
		go func() {
			defer close(down)
			s.server.Shutdown(context.Background())
		}()
		s.closeIdle()
		<-down
		<-s.ended
	})
}

// CloseClientConnections closes every connection that no handler has taken over, and goes on serving. Clients waiting
// for a response see the connection reset.
func (s *Server) CloseClientConnections() {
	if s.server != nil {
		s.server.CloseConnections()
	}
}

// Certificate returns the server's certificate, or nil without TLS.
func (s *Server) Certificate() *x509.Certificate { return s.certificate }
