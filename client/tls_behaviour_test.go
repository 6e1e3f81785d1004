package client_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/shockwave-go/shockwave/client"
)

// secured is a server over TLS that reports the client's TLS, and settings that trust it.
func secured(t *testing.T, h2 bool, set func(*tls.Config)) (*httptest.Server, *tls.Config) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s name=%q resumed=%v certificates=%d", r.Proto, r.TLS.ServerName, r.TLS.DidResume, len(r.TLS.PeerCertificates))
	}))
	s.EnableHTTP2, s.Config.ErrorLog, s.TLS = h2, discard, new(tls.Config)
	set(s.TLS)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, &tls.Config{RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
}

// A client certificate is sent to a server that asks for one, and a refusal is not retried.
func TestClientCertificate(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
			s, trusting := secured(t, h2, func(c *tls.Config) { c.ClientAuth, c.MaxVersion = tls.RequireAnyClientCert, version })
			proto := map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"}[h2]
			with := trusting.Clone()
			with.Certificates = s.TLS.Certificates
			asked := 0
			later := trusting.Clone()
			later.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
				asked++
				return &s.TLS.Certificates[0], nil
			}
			for _, cfg := range []*tls.Config{with, later} {
				c := newClient(t, client.Config{TLSConfig: cfg})
				if _, body, err := do(c, &client.Request{URL: s.URL}); body != proto+` name="" resumed=false certificates=1` || err != nil {
					t.Errorf("got %q, %v; want one certificate and no resumption", body, err)
				}
				if resp, err := c.Get(s.URL); err != nil || resp.TLS() == nil || resp.TLS().Version != version {
					t.Error(err)
				} else {
					resp.Close()
				}
			}
			if asked != 1 {
				t.Errorf("asked %d times", asked)
			}
			c := newClient(t, client.Config{TLSConfig: trusting, Retry: client.Retry{Max: 2, Wait: -1}})
			_, _, err := do(c, &client.Request{URL: s.URL})
			var e *client.Error
			if !errors.As(err, &e) || e.Timeout() || !strings.Contains(err.Error(), "remote error: tls") {
				t.Errorf("%s, %x: %v", proto, version, err)
			}
		}
	}
}

// Server name, versions, trust and callbacks of TLSConfig are used.
func TestTLSConfig(t *testing.T) {
	s, trusting := secured(t, false, func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 })
	addr := s.Listener.Addr().String()
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	boom := errors.New("boom")
	for name, tc := range map[string]struct {
		url  string
		set  func(*tls.Config)
		want string // of the body, or of the error
	}{
		"name":         {"https://example.com", func(*tls.Config) {}, `name="example.com" resumed=false`},
		"with a port":  {"https://www.Example.com.:444", func(*tls.Config) {}, `name="www.example.com"`},
		"another name": {"https://other.test", func(*tls.Config) {}, "certificate is valid for"},
		"own name":     {"https://other.test", func(c *tls.Config) { c.ServerName = "example.com" }, `name="example.com"`},
		"address":      {"https://127.0.0.1", func(*tls.Config) {}, `name=""`},
		"nobody":       {"https://example.com", func(c *tls.Config) { c.RootCAs = x509.NewCertPool() }, "unknown authority"},
		"anybody":      {"https://other.test", func(c *tls.Config) { c.InsecureSkipVerify = true }, `name="other.test"`},
		"too new":      {"https://example.com", func(c *tls.Config) { c.MinVersion = tls.VersionTLS13 }, "protocol version"},
		"own look":     {"https://example.com", func(c *tls.Config) { c.VerifyConnection = func(tls.ConnectionState) error { return boom } }, "boom"},
		"own protocol": {"https://example.com", func(c *tls.Config) { c.NextProtos = []string{"smtp"} }, "HTTP/1.1"},
	} {
		cfg := trusting.Clone()
		tc.set(cfg)
		protos := len(cfg.NextProtos)
		c := newClient(t, client.Config{TLSConfig: cfg, NetDial: dial})
		_, body, err := do(c, &client.Request{URL: tc.url})
		if !strings.Contains(body, tc.want) && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: got %q, %v", name, body, err)
		}
		if name == "own look" && !errors.Is(err, boom) || len(cfg.NextProtos) != protos {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The second connection to a server resumes the first one's session.
func TestResumption(t *testing.T) {
	s, trusting := secured(t, false, func(*tls.Config) {})
	c := newClient(t, client.Config{TLSConfig: trusting, DisableKeepAlive: true})
	for i, want := range []string{"resumed=false", "resumed=true", "resumed=true"} {
		if _, body, err := do(c, &client.Request{URL: s.URL}); !strings.Contains(body, want) || err != nil {
			t.Errorf("%d: got %q, %v; want %q in it", i, body, err, want)
		}
	}
}

// Errors tell a server without TLS from one with TLS, and from one that has gone.
func TestNoTLS(t *testing.T) {
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "plain") })
	c := newClient(t, client.Config{})
	var wrong tls.RecordHeaderError
	if _, _, err := do(c, &client.Request{URL: strings.Replace(plain, "http", "https", 1)}); !errors.As(err, &wrong) {
		t.Errorf("plain text: %v", err)
	}
	s, _ := secured(t, false, func(*tls.Config) {})
	if status, body, err := do(c, &client.Request{URL: strings.Replace(s.URL, "https", "http", 1)}); status != 400 || !strings.Contains(body, "HTTPS server") || err != nil {
		t.Errorf("TLS: got %d, %q, %v", status, body, err)
	}
}

// Errors tell a reset from an end of the connection.
func TestReset(t *testing.T) {
	each(t, func(t *testing.T, p client.Protocol) {
		for _, reset := range []bool{false, true} {
			url := script(t, func(_ int, nc net.Conn) {
				asked(nc, p) // all of it: who writes would be told of a reset before who reads
				if reset {
					nc.(*net.TCPConn).SetLinger(0)
				} else {
					nc.(*net.TCPConn).CloseWrite()
					io.Copy(io.Discard, nc)
				}
			})
			c := newClient(t, client.Config{Protocol: p})
			if _, _, err := do(c, &client.Request{URL: url}); !isReset(err) || p != client.HTTP2 && errors.Is(err, syscall.ECONNRESET) != reset {
				t.Errorf("reset %v: %v", reset, err)
			}
		}
	})
}

type tlsConfig = tls.Config
