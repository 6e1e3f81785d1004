package nethttptest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
)

// dialFunc is the type of http.Transport.DialContext.
type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// dial returns the function with which the Client connects: the listener's DialContext if it has one. Otherwise it
// dials over the network, and connects to the server for example.com and its subdomains.
func (s *Server) dial(port string) dialFunc {
	if l, ok := s.Listener.(interface {
		DialContext(ctx context.Context, network, addr string) (net.Conn, error)
	}); ok {
		return l.DialContext
	}
	server := s.Listener.Addr()
	var dialer net.Dialer
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		if name, p, err := net.SplitHostPort(addr); err == nil && p == port && isExample(name) {
			network, addr = server.Network(), server.String()
		}
		return dialer.DialContext(ctx, network, addr)
	}
}

// newTransport returns the Client's transport. If a test sets its Dial field, that is used in place of dial. trusted
// is nil without TLS.
func newTransport(dial dialFunc, trusted *x509.Certificate) *http.Transport {
	tr := new(http.Transport)
	tr.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		//lint:ignore SA1019 tests of httptest's set it
		if d := tr.Dial; d != nil {
			return d(network, addr)
		}
		return dial(ctx, network, addr)
	}
	if trusted != nil {
		roots := x509.NewCertPool()
		roots.AddCert(trusted)
		tr.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	return tr
}

// Client returns a client that trusts the server's certificate. It connects to the server for the host in URL, and
// for example.com and its subdomains. The client of a memory server reaches nothing else. Close closes the client's
// idle connections. Client returns nil before Start and StartTLS.
func (s *Server) Client() *http.Client { return s.client }

// idleCloser is implemented by transports that can close their idle connections.
type idleCloser interface{ CloseIdleConnections() }

// closeIdle closes the idle connections of the Client, and of http.DefaultTransport, which many tests use.
func (s *Server) closeIdle() {
	transports := []http.RoundTripper{http.DefaultTransport}
	if s.client != nil {
		transports = append(transports, s.client.Transport)
	}
	for _, t := range transports {
		if c, ok := t.(idleCloser); ok {
			c.CloseIdleConnections()
		}
	}
}
