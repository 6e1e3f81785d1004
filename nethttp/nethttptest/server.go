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

// Server is a server for a test, with httptest.Server's fields and methods. Its fields may be set until Start or
// StartTLS; Config.Handler is read for every request.
type Server struct {
	URL      string // "http://host:port", without a slash at the end; set by Start and StartTLS
	Listener net.Listener

	// EnableHTTP2 has HTTP/2 spoken over TLS, to Client as well.
	EnableHTTP2 bool

	// TLS has settings for StartTLS, which puts a copy in its place, with a certificate if there is none.
	TLS *tls.Config

	// Config has the server's settings, Handler among them. They are nethttp.FromServer's.
	Config *http.Server

	server      *nethttp.Server
	certificate *x509.Certificate
	client      *http.Client
	ended       chan struct{} // Serve has returned
	closing     sync.Once
}

// NewServer starts a server on a port of the loopback interface that the system chooses. Close it when the test ends.
// It panics where httptest's does, when there is no port to listen on.
func NewServer(h http.Handler) *Server {
	s := NewUnstartedServer(h)
	s.Start()
	return s
}

// NewTLSServer is NewServer over TLS.
func NewTLSServer(h http.Handler) *Server {
	s := NewUnstartedServer(h)
	s.StartTLS()
	return s
}

// NewMemoryServer is NewServer in memory, at http://example.com for its Client and nobody else. Inside a
// testing/synctest bubble all of it is in the bubble, which may end when Close has returned.
func NewMemoryServer(h http.Handler) *Server {
	s := NewUnstartedMemoryServer(h)
	s.Start()
	return s
}

// NewUnstartedServer returns a server that listens and does not serve yet: call Start or StartTLS, and Close in the end.
func NewUnstartedServer(h http.Handler) *Server {
	return &Server{Listener: listen(), Config: &http.Server{Handler: h}}
}

// NewUnstartedMemoryServer is NewUnstartedServer in memory.
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

// Start serves. It panics if the server has been started.
func (s *Server) Start() {
	s.prepare("http", "80")
	s.serve(func() error { return s.server.Serve(s.Listener) })
}

// StartTLS serves over TLS. It panics if the server has been started.
func (s *Server) StartTLS() {
	s.secure()
	s.prepare("https", "443")
	s.server.TLSConfig = s.TLS
	if !s.EnableHTTP2 && s.server.Protocols == nil {
		s.server.Protocols = new(http.Protocols)
		s.server.Protocols.SetHTTP1(true)
	}
	s.serve(func() error { return s.server.ServeTLS(s.Listener, "", "") })
}

// secure completes s.TLS.
func (s *Server) secure() {
	s.mustBeNew()
	s.TLS = s.TLS.Clone()
	if s.TLS == nil {
		s.TLS = new(tls.Config)
	}
	if len(s.TLS.Certificates) == 0 {
		s.TLS.Certificates = []tls.Certificate{ownCertificate()}
	}
	var err error
	if s.certificate, err = x509.ParseCertificate(s.TLS.Certificates[0].Certificate[0]); err != nil {
		panic("nethttptest: StartTLS: " + err.Error())
	}
}

func (s *Server) mustBeNew() {
	if s.URL != "" {
		panic("nethttptest: Server already started")
	}
}

// prepare makes the server and its client.
func (s *Server) prepare(scheme, port string) {
	s.mustBeNew()
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
	s.server.FirstGrace = -1 // as httptest: a client may have dialed once too often
}

func (s *Server) serve(serve func() error) {
	s.ended = make(chan struct{})
	go func() {
		defer close(s.ended)
		serve()
	}()
}

// hangs is how long Close waits before it says for what.
const hangs = 5 * time.Second

// Close stops listening, ends idle connections, those of the Client and of http.DefaultTransport as well, and waits until
// all requests have been answered. The functions of Config.RegisterOnShutdown are called. If it takes longer than 5 s the
// log package's standard logger is told why.
func (s *Server) Close() {
	if s.server == nil {
		s.Listener.Close()
		return
	}
	s.closing.Do(func() {
		told := time.AfterFunc(hangs, func() {
			log.Printf("nethttptest: Server blocked in Close after %v, waiting for %d connections", hangs,
				s.server.Stats().OpenConnections)
		})
		defer told.Stop()
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

// CloseClientConnections ends every connection, but for those that a handler has taken over, and goes on serving. Clients
// that wait for an answer see the connection reset.
func (s *Server) CloseClientConnections() {
	if s.server != nil {
		s.server.CloseConnections()
	}
}

// Certificate returns the server's certificate, nil without TLS.
func (s *Server) Certificate() *x509.Certificate { return s.certificate }
