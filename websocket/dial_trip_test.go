package websocket

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// accepting is net/http's server, which accepts connections at path "/" with cfg, and echoes. Other paths belong to on.
func accepting(t *testing.T, cfg Config, secure bool, on http.HandlerFunc) (s *httptest.Server, at string) {
	t.Helper()
	s = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			on(w, r)
			return
		}
		w.Header().Set("X-Told", strings.Join(append(r.Header["Cookie"], r.Header["Authorization"]...), ";"))
		c, err := Accept(w, r, cfg)
		if err != nil {
			t.Errorf("Accept: %v", err)
			return
		}
		for m, err := range c.Messages() {
			if err != nil || c.WriteMessage(m.Type, m.Data) != nil {
				return
			}
		}
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s, strings.Replace(s.URL, "http", "ws", 1)
}

// trust returns a TLS config for s.
func trust(s *httptest.Server) *tls.Config {
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &tls.Config{RootCAs: roots}
}

// there dials and expects that messages go in both directions.
func there(t *testing.T, url string, cfg Config) (*Conn, *http.Response) {
	t.Helper()
	c, resp, err := Dial(soon(t), url, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseNow() })
	for _, n := range []int{0, 5, 200, 70_000, 1 << 20} {
		want := letters(n)
		sent := make(chan error, 1)
		go func() { sent <- c.WriteMessage(TextMessage, []byte(want)) }()
		wantMessage(t, c, want)
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
	}
	return c, resp
}

// Dial and Accept agree on a subprotocol and exchange messages.
func TestDialAccept(t *testing.T) {
	for _, secure := range []bool{false, true} {
		for server := range ContextTakeover + 1 {
			for client := range ContextTakeover + 1 {
				s, at := accepting(t, Config{Compression: server, Subprotocols: []string{"b", "a"}}, secure, nil)
				cfg := Config{Compression: client, Subprotocols: []string{"a", "b"}}
				if secure {
					cfg.TLSConfig = trust(s)
				}
				c, resp := there(t, at, cfg)
				if c.Subprotocol() != "b" || c.Compressed() != (server > 0 && client > 0) || secure != (resp.TLS != nil) {
					t.Errorf("subprotocol %q, compressed %v, TLS %v", c.Subprotocol(), c.Compressed(), resp.TLS)
				}
				if err := c.Close(CloseNormal, "bye"); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// Dial offers HTTP/1.1 whatever TLSConfig says, and refuses an unknown certificate.
func TestDialTLS(t *testing.T) {
	s, at := accepting(t, Config{}, true, nil)
	cfg := Config{TLSConfig: trust(s)}
	cfg.TLSConfig.NextProtos = []string{"h2"}
	c, resp := there(t, at, cfg)
	if _, ok := c.NetConn().(*tls.Conn); !ok || resp.TLS.NegotiatedProtocol != "http/1.1" {
		t.Errorf("a %T, %q", c.NetConn(), resp.TLS.NegotiatedProtocol)
	}
	var bad *tls.CertificateVerificationError
	if c, _, err := Dial(soon(t), at, Config{}); c != nil || !errors.As(err, &bad) {
		t.Errorf("got %v, %v", c, err)
	}
}
