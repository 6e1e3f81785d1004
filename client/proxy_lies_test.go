package client_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/client"
)

// A proxy that refuses or breaks the protocol fails the request without revealing the login, and its bytes are not taken for the
// server's.
func TestProxyLies(t *testing.T) {
	const evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
	for name, tc := range map[string]struct {
		say, want string
	}{
		"forbids":            {"HTTP/1.1 403 No\r\nContent-Length: 4\r\n\r\nevil", "403 No"},
		"wants a login":      {"HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n", "407 Who"},
		"redirects":          {"HTTP/1.1 302 Found\r\nLocation: http://evil.test/\r\nContent-Length: 0\r\n\r\n", "302"},
		"changes the talk":   {"HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n", "proxy"},
		"is no proxy":        {"SSH-2.0-OpenSSH\r\n\r\n", "proxy"},
		"speaks HTTP/2":      {"\x00\x00\x00\x04\x00\x00\x00\x00\x00", "proxy"},
		"leaves":             {"", "EOF"},
		"leaves in its head": {"HTTP/1.1 200 OK\r\nA:", "EOF"},
		"says too much":      {"HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", 1<<20), "proxy"},
		"for the server":     {"HTTP/1.1 200 OK\r\n\r\n" + evil, "before the TLS handshake"},
		"in plain text":      {"HTTP/1.1 200 OK\r\n\r\n", "EOF"},
	} {
		at := converse(t, func(_ int, p *peer) {
			if h := p.head(); !strings.HasPrefix(h, "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n") {
				t.Errorf("%s: asked %q", name, h)
			}
			p.say(tc.say)
		})
		c := newClient(t, client.Config{Proxy: via(strings.Replace(at, "//", "//user:secret@", 1))})
		for range 2 {
			_, body, err := do(c, &client.Request{URL: "https://a.test/"})
			var e *client.Error
			if !errors.As(err, &e) || !strings.Contains(err.Error(), tc.want) && !(tc.want == "EOF" && isReset(err)) || e.Timeout() || body != "" {
				t.Errorf("%s: %q, %v, want %q", name, body, err, tc.want)
			} else if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "evil") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if s := settled(t, c); s.Failures != 2 {
			t.Errorf("%s: got %+v", name, s)
		}
	}
}

// A proxy's response to a forwarded request is the response, but interim responses to CONNECT are not.
func TestProxyAnswers(t *testing.T) {
	at := converse(t, func(_ int, p *peer) {
		for h := p.head(); h != ""; h = p.head() {
			p.say("HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic\r\nContent-Length: 3\r\n\r\nwho")
		}
	})
	c := newClient(t, client.Config{Proxy: via(at)})
	for range 2 {
		if status, body, err := do(c, &client.Request{URL: "http://a.test/"}); status != 407 || body != "who" || err != nil {
			t.Errorf(`got %d, %q, %v; want 407, "who"`, status, body, err)
		}
	}
	at = converse(t, func(_ int, p *peer) {
		p.head()
		p.say("HTTP/1.1 103 Soon\r\n\r\nHTTP/1.1 299 Fine\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n")
		nc := tls.Server(handed{p}, serverTLS(t))
		defer nc.Close()
		in := &peer{nc, newReader(nc)}
		for h := in.head(); h != ""; h = in.head() {
			in.say(ok("good"))
		}
	})
	c = newClient(t, client.Config{Proxy: via(at), TLSConfig: &tls.Config{InsecureSkipVerify: true}})
	for range 2 {
		if status, body, err := do(c, &client.Request{URL: "https://a.test/"}); status != 200 || body != "good" || err != nil {
			t.Errorf(`got %d, %q, %v; want 200, "good"`, status, body, err)
		}
	}
	if s := c.Stats(); s.OpenedConnections != 1 {
		t.Errorf("got %+v, want OpenedConnections 1", s)
	}
}

// handed is a peer's connection with the bytes that have been read ahead.
type handed struct{ *peer }

func (h handed) Read(p []byte) (int, error) { return h.r.Read(p) }

// serverTLS is the TLS of httptest's servers.
func serverTLS(t testing.TB) *tls.Config {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	return &tls.Config{Certificates: s.TLS.Certificates}
}

// A proxy that says nothing is not waited for longer than DialTimeout, and its connection is closed.
func TestDeafProxies(t *testing.T) {
	t.Parallel()
	gone := make(chan bool, 10)
	deaf := func(p *peer) { p.rest(); gone <- true }
	at := map[string]string{
		"http":  converse(t, func(_ int, p *peer) { deaf(p) }),
		"socks": converse(t, func(_ int, p *peer) { p.body(3); p.say("\x05\x00"); deaf(p) }),
		"https": script(t, func(_ int, nc net.Conn) {
			tc := tls.Server(nc, serverTLS(t))
			defer tc.Close()
			deaf(&peer{tc, newReader(tc)})
		}),
	}
	for scheme, at := range at {
		proxy := strings.Replace(at, "http", map[string]string{"socks": "socks5"}[scheme]+strings.TrimPrefix(scheme, "socks"), 1)
		c := newClient(t, client.Config{Proxy: via(proxy), DialTimeout: time.Second, WaitTimeout: -1, TLSConfig: &tls.Config{InsecureSkipVerify: true}})
		_, _, err := do(c, &client.Request{URL: "https://a.test/", Timeout: 20 * time.Second})
		if !isTimeout(err) || !strings.Contains(err.Error(), "opening a connection") || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", proxy, err)
		}
		select {
		case <-gone:
		case <-time.After(time.Minute):
			t.Errorf("%s: its connection stays", proxy)
		}
		settled(t, c)
		c.Close()
	}
}

// The TLS handshake with a server behind a proxy has a time limit of its own.
func TestDeafBehindProxy(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"http", "https"} {
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			nc, rw, _ := w.(http.Hijacker).Hijack()
			defer nc.Close()
			io.WriteString(nc, "HTTP/1.1 200 OK\r\n\r\n")
			io.Copy(io.Discard, rw)
		}))
		if srv.Config.ErrorLog = discard; scheme == "https" {
			srv.StartTLS()
		} else {
			srv.Start()
		}
		c := newClient(t, client.Config{Proxy: c2(scheme, srv), DialTimeout: time.Minute, TLSHandshakeTimeout: 500 * time.Millisecond, TLSConfig: &tls.Config{InsecureSkipVerify: true}})
		if _, _, err := do(c, &client.Request{URL: "https://a.test/"}); !isTimeout(err) || !strings.Contains(err.Error(), "handshake") {
			t.Errorf("%s: %v", scheme, err)
		}
		c.Close()
		srv.Close()
	}
}

// Behind a proxy the server chooses the version, and both certificates are verified, each for its own host.
func TestProxyTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto+" "+r.Host) }))
	server.EnableHTTP2, server.Config.ErrorLog = true, discard
	server.StartTLS()
	defer server.Close()
	p := &proxy{at: server.Listener.Addr().String()}
	srv := httptest.NewUnstartedServer(p)
	srv.Config.ErrorLog = discard
	srv.StartTLS()
	defer srv.Close()
	trusting := &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	c := newClient(t, client.Config{Proxy: via(srv.URL), TLSConfig: trusting})
	for _, host := range []string{"example.com", "example.com", "www.example.com:8443"} {
		if status, body, err := do(c, &client.Request{URL: "https://" + host}); status != 200 || body != "HTTP/2.0 "+host || err != nil {
			t.Errorf("%s: got %d, %q, %v", host, status, body, err)
		}
	}
	if s := c.Stats(); s.OpenedConnections != 2 || p.tunnels.Load() != 2 {
		t.Errorf("%+v, %d tunnels", s, p.tunnels.Load())
	}
	var bad *tls.CertificateVerificationError
	if _, _, err := do(c, &client.Request{URL: "https://other.test"}); !errors.As(err, &bad) || p.tunnels.Load() != 3 {
		t.Errorf("%v, %d tunnels", err, p.tunnels.Load())
	}
	named := newClient(t, client.Config{Proxy: via(strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)), TLSConfig: trusting})
	if _, _, err := do(named, &client.Request{URL: "https://example.com"}); !errors.As(err, &bad) || p.tunnels.Load() != 3 {
		t.Errorf("a proxy under another's name: %v", err)
	}
}
