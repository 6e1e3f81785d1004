package dial

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// secureServer responds to GET over TLS, with a certificate for example.com and 127.0.0.1, and to CONNECT with a tunnel to
// itself, whatever is asked for.
func secureServer(t *testing.T) (*Target, *tls.Config) {
	t.Helper()
	var s *httptest.Server
	s = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			io.WriteString(w, "hello "+r.TLS.ServerName+" "+r.TLS.NegotiatedProtocol)
			return
		}
		nc, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer nc.Close()
		far, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		defer far.Close()
		io.WriteString(nc, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			io.Copy(far, nc)
			far.(*net.TCPConn).CloseWrite()
		}()
		io.Copy(nc, far)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return at(s.Listener.Addr()), &tls.Config{RootCAs: roots, NextProtos: []string{"http/1.1"}}
}

const get = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

// The handshake with the host verifies its certificate by name, or by address.
func TestTLS(t *testing.T) {
	server, cfg := secureServer(t)
	for _, tc := range []struct {
		host, name string
		ok         bool
	}{
		{host: "example.com", name: "example.com", ok: true},
		{host: "127.0.0.1", ok: true},
		{host: "other.test"},
	} {
		target := &Target{Host: tc.host, Port: "443", TLS: cfg}
		target.Net = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(server.Host, server.Port))
		}
		r := wait(t, begin(t.Context(), target))
		var bad *tls.CertificateVerificationError
		if !tc.ok {
			if r.nc != nil || !errors.As(r.err, &bad) {
				t.Errorf("%s: got %v, %v", tc.host, r.nc, r.err)
			}
			continue
		}
		if r.err != nil {
			t.Fatal(tc.host, r.err)
		}
		k := wiretest.NewTalk(t, r.nc)
		k.Send(get)
		k.WantUntil("\r\n\r\nhello " + tc.name + " http/1.1")
	}
	if cfg.ServerName != "" {
		t.Error("the caller's Config was changed")
	}
}

// TLS with the host works inside TLS with the proxy, each with its own name.
func TestSecureProxy(t *testing.T) {
	server, cfg := secureServer(t)
	cfg.ServerName = "example.com"
	target := &Target{Host: "example.org", Port: "443", TLS: cfg}
	target.Proxy = &Proxy{Scheme: HTTPS, Host: server.Host, Port: server.Port, TLS: cfg}
	k := wiretest.NewTalk(t, connected(t, begin(t.Context(), target)))
	k.Send(get)
	k.WantUntil("\r\n\r\nhello example.com http/1.1")
}

// Secure is used for TLS with the host, but not inside the TLS of a proxy.
func TestSecure(t *testing.T) {
	server, cfg := secureServer(t)
	var below []net.Conn
	secure := func(nc net.Conn, cfg *tls.Config) *tls.Conn {
		below = append(below, nc)
		return tls.Client(nc, cfg)
	}
	through := &Proxy{Scheme: HTTPS, Host: server.Host, Port: server.Port, TLS: cfg}
	for _, proxy := range []*Proxy{through, nil} {
		target := &Target{Host: server.Host, Port: server.Port, TLS: cfg, Secure: secure, Proxy: proxy}
		k := wiretest.NewTalk(t, connected(t, begin(t.Context(), target)))
		k.Send(get)
		k.WantUntil("hello")
	}
	if _, ok := below[0].(*net.TCPConn); len(below) != 1 || !ok {
		t.Errorf("put on %T", below)
	}
}

// Bytes that arrive before the TLS handshake are an error.
func TestSpeaksFirst(t *testing.T) {
	target := viaProxy()
	target.TLS = &tls.Config{}
	h := through(t, target, nil)
	done := begin(t.Context(), target)
	h.Want(asked)
	h.Send("HTTP/1.1 200 OK\r\n\r\n\x15\x03\x03")
	if r := wait(t, done); r.nc != nil || r.err != errSpokeFirst {
		t.Errorf("got %v, %v", r.nc, r.err)
	}
	h.WantGone()
}
