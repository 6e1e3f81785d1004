package nethttptest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
)

// dialFunc connects to addr.
type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// dial returns how the Client connects: by the listener, if that is one to dial, else over the network, where example.com
// is the server.
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

// newTransport returns the Client's. A Dial that a test sets goes before ours. trusted is nil without TLS.
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

// Client returns a client that reaches the server at URL, trusts its certificate, and takes example.com and its
// subdomains for the server. Close ends its idle connections. Of a server in memory it reaches nothing else. It is nil
// before Start and StartTLS.
func (s *Server) Client() *http.Client { return s.client }

// idleCloser is what can end idle connections.
type idleCloser interface{ CloseIdleConnections() }

// closeIdle ends the idle connections of http.DefaultTransport, which many tests use, and of the Client.
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
