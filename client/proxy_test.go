package client_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/shockwave-go/shockwave/client"
)

// proxy is a proxy for CONNECT and absolute form; every host leads to at.
type proxy struct {
	at        string
	tunnels   atomic.Int32
	forwarded atomic.Int32
	login     atomic.Value
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.login.Store(r.Header.Get("Proxy-Authorization"))
	if r.Method != "CONNECT" {
		p.forwarded.Add(1)
		fmt.Fprintf(w, "forwarded %s %s for %s", r.Method, r.RequestURI, r.Host)
		return
	}
	p.tunnels.Add(1)
	if strings.HasPrefix(r.Host, "forbidden") {
		w.WriteHeader(403)
		return
	}
	up, err := net.Dial("tcp", p.at)
	if err != nil {
		w.WriteHeader(502)
		return
	}
	defer up.Close()
	nc, rw, _ := w.(http.Hijacker).Hijack()
	defer nc.Close()
	io.WriteString(nc, "HTTP/1.1 200 OK\r\n\r\n")
	done := make(chan bool)
	go func() { io.Copy(up, rw); up.(*net.TCPConn).CloseWrite(); close(done) }()
	io.Copy(nc, up)
	nc.Close()
	<-done
}

// via returns a Config.Proxy that always returns the same proxy.
func via(text string) func(*url.URL) (*url.URL, error) {
	u, err := url.Parse(text)
	return func(*url.URL) (*url.URL, error) { return u, err }
}

// Requests over HTTP/1.1 for http are forwarded; those for https and over HTTP/2 go through a tunnel.
func TestProxy(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Proto, " ", r.Host, r.RequestURI, r.Header.Get("Proxy-Authorization"))
	})
	secure := httptest.NewTLSServer(h)
	defer secure.Close()
	plain := strings.TrimPrefix(serve(t, h), "http://")
	for _, kind := range []string{"http", "https"} {
		p := &proxy{at: secure.Listener.Addr().String()}
		srv := httptest.NewUnstartedServer(p)
		if kind == "https" {
			srv.StartTLS()
		} else {
			srv.Start()
		}
		defer srv.Close()
		c := newClient(t, client.Config{Proxy: via(kind + "://us%40er:pw@" + srv.Listener.Addr().String()), TLSConfig: &tls.Config{InsecureSkipVerify: true}})
		for _, host := range []string{"a.test", "b.test:81"} {
			status, body, err := do(c, &client.Request{URL: "http://" + host + "/p?q", Host: "other"})
			if want := "forwarded GET http://" + host + "/p?q for "; status != 200 || !strings.HasPrefix(body, want) || err != nil {
				t.Errorf("%s: got %d, %q, %v", kind, status, body, err)
			}
		}
		if s := c.Stats(); s.OpenedConnections != 1 || p.forwarded.Load() != 2 || p.tunnels.Load() != 0 || p.login.Load() != "Basic dXNAZXI6cHc=" {
			t.Errorf("%s: %+v, %d forwarded, %q", kind, s, p.forwarded.Load(), p.login.Load())
		}
		status, body, err := do(c, &client.Request{URL: "https://a.test/p"})
		if status != 200 || body != "HTTP/1.1 a.test/p" || err != nil || p.tunnels.Load() != 1 || p.login.Load() != "Basic dXNAZXI6cHc=" {
			t.Errorf("%s: got %d, %q, %v", kind, status, body, err)
		}
		if _, _, err := do(c, &client.Request{URL: "https://forbidden.test/p"}); err == nil || !strings.Contains(err.Error(), "403") {
			t.Errorf("%s: %v", kind, err)
		}
		p.at = plain
		c = newClient(t, client.Config{Proxy: c2(kind, srv), TLSConfig: &tls.Config{InsecureSkipVerify: true}, Protocol: client.HTTP2})
		status, body, err = do(c, &client.Request{URL: "http://a.test/p"})
		if status != 200 || body != "HTTP/2.0 a.test/p" || err != nil {
			t.Errorf(`%s: got %d, %q, %v; want 200, "HTTP/2.0 a.test/p"`, kind, status, body, err)
		}
		c.Close()
	}
}

func c2(kind string, srv *httptest.Server) func(*url.URL) (*url.URL, error) {
	return via(kind + "://" + srv.Listener.Addr().String())
}

// All requests go through the tunnel, and the proxy resolves the name.
func TestSOCKS(t *testing.T) {
	at := strings.TrimPrefix(serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) }), "http://")
	addr := script(t, func(_ int, nc net.Conn) {
		r := bufio.NewReader(nc)
		greet := make([]byte, 3)
		io.ReadFull(r, greet)
		nc.Write([]byte{5, 0})
		ask := make([]byte, 5)
		io.ReadFull(r, ask)
		host := make([]byte, int(ask[4])+2)
		io.ReadFull(r, host)
		if ask[3] != 3 || string(host[:len(host)-2]) != "a.test" {
			t.Errorf("asked for %q", host)
		}
		nc.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		up, err := net.Dial("tcp", at)
		if err != nil {
			t.Error(err)
			return
		}
		defer up.Close()
		go func() { io.Copy(up, r); up.(*net.TCPConn).CloseWrite() }()
		io.Copy(nc, up)
	})
	c := newClient(t, client.Config{Proxy: via("socks5" + strings.TrimPrefix(addr, "http"))})
	if status, body, err := do(c, &client.Request{URL: "http://a.test/"}); status != 200 || body != "a.test" || err != nil {
		t.Errorf(`got %d, %q, %v; want 200, "a.test"`, status, body, err)
	}
	c.Close()
}

// Config.Proxy is called with scheme and host, and may return an error, no proxy or an unusable one.
func TestProxyChoice(t *testing.T) {
	direct := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "direct") })
	p := new(proxy)
	srv := httptest.NewServer(p)
	defer srv.Close()
	boom := errors.New("boom")
	c := newClient(t, client.Config{Proxy: func(u *url.URL) (*url.URL, error) {
		switch u.String() {
		case direct:
			return nil, nil
		case "http://via.test":
			return url.Parse(srv.URL)
		case "http://ftp.test:8080":
			return url.Parse("ftp://x")
		}
		return nil, boom
	}})
	if _, body, err := do(c, &client.Request{URL: direct + "/x"}); body != "direct" || err != nil {
		t.Errorf(`got %q, %v; want "direct"`, body, err)
	}
	if _, body, err := do(c, &client.Request{URL: "http://Via.test:80/x"}); !strings.HasPrefix(body, "forwarded GET http://Via.test:80/x") || err != nil {
		t.Errorf(`got %q, %v; want "forwarded GET http://Via.test:80/x" at its start`, body, err)
	}
	if _, _, err := do(c, &client.Request{URL: "http://ftp.test:8080"}); err == nil || !strings.Contains(err.Error(), "ftp") {
		t.Error(err)
	}
	if _, _, err := do(c, &client.Request{URL: "https://other.test"}); !errors.Is(err, boom) {
		t.Error(err)
	}
}

// The environment's proxy is the default, and is looked up once for each host.
func TestProxyFromEnvironment(t *testing.T) {
	p := new(proxy)
	srv := httptest.NewServer(p)
	defer srv.Close()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"} {
		t.Setenv(name, "")
	}
	t.Setenv("http_proxy", srv.URL)
	t.Setenv("no_proxy", "not.test")
	dialled := ""
	c := client.New(client.Config{NetDial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		dialled = addr
		return new(net.Dialer).DialContext(ctx, network, srv.Listener.Addr().String())
	}})
	defer c.Close()
	for i := range 3 {
		if _, body, err := do(c, &client.Request{URL: "http://a.test/x"}); !strings.HasPrefix(body, "forwarded GET http://a.test/x") || err != nil || i == 0 && dialled != srv.Listener.Addr().String() {
			t.Errorf("%q, %v, over %s", body, err, dialled)
		}
		if _, body, err := do(c, &client.Request{URL: "http://not.test/x"}); !strings.HasPrefix(body, "forwarded GET /x") || err != nil || i == 0 && dialled != "not.test:80" {
			t.Errorf("%q, %v, over %s", body, err, dialled)
		}
	}
	c2 := client.New(client.Config{DisableProxy: true, NetDial: func(_ context.Context, _, addr string) (net.Conn, error) { dialled = addr; return nil, net.ErrClosed }})
	defer c2.Close()
	if c2.Get("http://a.test/"); dialled != "a.test:80" {
		t.Errorf(`got %q, want "a.test:80"`, dialled)
	}
}
