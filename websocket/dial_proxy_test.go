package websocket

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/dial"
)

// connectProxy is a proxy for CONNECT that wants a login and notes what it is asked for.
func connectProxy(t *testing.T, asked *[]string) *url.URL {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.Method+" "+r.RequestURI)
		if r.Header.Get("Proxy-Authorization") != dial.Basic("me", "secret") {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		far, err := net.Dial("tcp", r.RequestURI)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer far.Close()
		near, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer near.Close()
		io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
		go func() {
			io.Copy(far, near)
			far.Close()
		}()
		io.Copy(near, far)
	}))
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestProxy: ws and wss both go through a tunnel (RFC 6455 §4.1).
func TestProxy(t *testing.T) {
	var asked []string
	proxy := connectProxy(t, &asked)
	proxy.User = url.UserPassword("me", "secret")
	cfg := Config{Proxy: http.ProxyURL(proxy)}
	plain, at := accepting(t, Config{}, false, nil)
	c, _ := there(t, at, cfg)
	if _, ok := c.NetConn().(*net.TCPConn); !ok {
		t.Errorf("a %T, want the connection itself", c.NetConn())
	}
	s, at := accepting(t, Config{}, true, nil)
	cfg.TLS = trust(s)
	there(t, at, cfg)
	want := []string{"CONNECT " + plain.Listener.Addr().String(), "CONNECT " + s.Listener.Addr().String()}
	if !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	proxy.User = nil
	var refused *dial.ProxyError
	if c, _, err := Dial(soon(t), at, cfg); c != nil || !errors.As(err, &refused) || refused.Status != 407 {
		t.Errorf("got %v, %v", c, err)
	}
}

// TestSocksProxy: a SOCKS5 proxy is told the name and the port, and the handshake goes through it.
func TestSocksProxy(t *testing.T) {
	proxy := &url.URL{Scheme: "socks5", Host: "proxy"}
	k := begin(t.Context(), t, "ws://example.com/", Config{Proxy: http.ProxyURL(proxy)}, nil)
	k.Want("\x05\x01\x00")
	k.Send("\x05\x00")
	k.Want("\x05\x01\x00\x03\x0bexample.com\x00\x50")
	k.Send("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
	k.request()
	k.Send(k.answers() + bare(0x81, "Hello"))
	wantMessage(t, k.opened(), "Hello")
	if k.addr != "proxy:1080" {
		t.Errorf("dialled %s", k.addr)
	}
}

// TestProxyHangs: neither does a proxy that says nothing outlast the timeout.
func TestProxyHangs(t *testing.T) {
	for _, scheme := range []string{"http", "https", "socks5"} {
		cfg := Config{HandshakeTimeout: 30 * time.Millisecond, Proxy: http.ProxyURL(&url.URL{Scheme: scheme, Host: "proxy"})}
		k := begin(t.Context(), t, "ws://example.com/", cfg, nil)
		k.WantN(1)
		if c, _, err := k.result(); c != nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %v, %v", scheme, c, err)
		}
		k.WantGone()
	}
}
