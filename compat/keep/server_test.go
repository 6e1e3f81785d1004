package keep

import (
	"crypto/tls"
	"net"
	"net/http"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// anyServer is what net/http's server and both of ours have in common.
type anyServer interface {
	Serve(l net.Listener) error
	Close() error
}

func serverTLS(t testing.TB) *tls.Config {
	t.Helper()
	cert, err := server.DevelopmentCertificate()
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}}
}

// serve runs s in cleartext until the test ends.
func serve(t testing.TB, s anyServer) (addr string) {
	t.Helper()
	l := both.Listen(t)
	run(t, s.Close, func() error { return s.Serve(l) })
	return l.Addr().String()
}

// serveBoth runs s in cleartext and over TLS until the test ends.
func serveBoth(t testing.TB, s *nethttp.Server) (plain, secure string) {
	t.Helper()
	l := both.Listen(t)
	run(t, s.Close, func() error { return s.ServeTLS(l, "", "") })
	return serve(t, s), l.Addr().String()
}

func run(t testing.TB, stop, serve func() error) {
	ended := make(chan error, 1)
	go func() { ended <- serve() }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != http.ErrServerClosed {
			t.Errorf("the server ended with: got %v, want %v", err, http.ErrServerClosed)
		}
	})
}
