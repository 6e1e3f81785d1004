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
	"testing/synctest"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/dial"
)

// connectProxy is a proxy for CONNECT, over TLS if it is secure, that wants a login and records the requests.
func connectProxy(t *testing.T, asked *[]string, secure bool) *url.URL {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("me", "secret")
	return u
}

// ws and wss both go through a tunnel of a proxy (RFC 6455 §4.1).
func TestProxy(t *testing.T) {
	var asked []string
	proxy := connectProxy(t, &asked, false)
	cfg := Config{Proxy: http.ProxyURL(proxy)}
	plain, at := accepting(t, Config{}, false, nil)
	c, _ := there(t, at, cfg)
	if _, ok := c.NetConn().(*net.TCPConn); !ok {
		t.Errorf("a %T, want the connection itself", c.NetConn())
	}
	s, at := accepting(t, Config{}, true, nil)
	cfg.TLSConfig = trust(s)
	there(t, at, cfg)
	want := []string{"CONNECT " + plain.Listener.Addr().String(), "CONNECT " + s.Listener.Addr().String()}
	if !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	proxy.User = nil
	var refused *ProxyError
	c, _, err := Dial(soon(t), at, cfg)
	if c != nil || !errors.As(err, &refused) || *refused != (ProxyError{407, "it answered 407 Proxy Authentication Required"}) {
		t.Errorf("got %v, %v", c, err)
	}
}

// A SOCKS5 proxy gets the name and the port, and the handshake goes through it.
func TestSocksProxy(t *testing.T) {
	proxy := &url.URL{Scheme: "socks5", Host: "proxy"}
	k := begin(t.Context(), t, "ws://example.com/", Config{Proxy: http.ProxyURL(proxy)}, nil)
	k.Want("\x05\x01\x00")
	k.Send("\x05\x00")
	k.Want("\x05\x01\x00\x03\x0bexample.com\x00\x50")
	k.Send("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
	k.request()
	k.Send(k.response() + bare(0x81, "Hello"))
	wantMessage(t, k.opened(), "Hello")
	if k.addr != "proxy:1080" {
		t.Errorf("dialled %s", k.addr)
	}
}

// A proxy's refusal is reported as a *ProxyError.
func TestProxyRefuses(t *testing.T) {
	for _, tc := range []struct {
		scheme, response string
		want             ProxyError
	}{
		{"http", "HTTP/1.1 403 Not there\r\n\r\n", ProxyError{403, "it answered 403 Not there"}},
		{"socks5", "\x05\xff", ProxyError{0, "no acceptable authentication methods"}},
		{"socks5", "\x05\x00\x05\x05\x00\x01\x00\x00\x00\x00\x00\x00", ProxyError{0, "connection refused"}},
	} {
		k := begin(t.Context(), t, "ws://example.com/", Config{Proxy: http.ProxyURL(&url.URL{Scheme: tc.scheme, Host: "proxy"})}, nil)
		k.WantN(3)
		k.Send(tc.response)
		c, resp, err := k.result()
		var refused *ProxyError
		if c != nil || resp != nil || !errors.As(err, &refused) || *refused != tc.want || err.Error() != "websocket: proxy: "+tc.want.Msg {
			t.Errorf("got %v, %v, %v", c, resp, err)
		}
		k.WantGone()
	}
}

// Bytes from a proxy before the request was sent fail the Dial.
func TestProxySpeaksFirst(t *testing.T) {
	k := begin(t.Context(), t, "ws://example.com/", Config{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: "proxy"})}, nil)
	k.WantUntil("\r\n\r\n")
	k.Send("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 101 Switching")
	if c, _, err := k.result(); c != nil || !errors.Is(err, errSpokeFirst) {
		t.Errorf("got %v, %v", c, err)
	}
	k.WantGone()
}

// A proxy that says nothing does not outlast the timeout.
func TestProxyHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, scheme := range []string{"http", "https", "socks5"} {
			cfg := Config{HandshakeTimeout: 30 * time.Millisecond, Proxy: http.ProxyURL(&url.URL{Scheme: scheme, Host: "proxy"})}
			k := begin(t.Context(), t, "ws://example.com/", cfg, nil)
			k.WantN(1)
			if c, _, err := k.result(); c != nil || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: got %v, %v", scheme, c, err)
			}
			k.WantGone()
		}
	})
}
