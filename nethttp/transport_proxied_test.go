package nethttp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// through returns a Transport with a proxy.
func through(t *testing.T, proxy string) *nethttp.Transport {
	t.Helper()
	u, err := url.Parse(proxy)
	if err != nil {
		t.Fatal(err)
	}
	tr := &nethttp.Transport{Proxy: http.ProxyURL(u)}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// A proxy gets requests in absolute-form with its own credentials, and one connection serves all hosts.
func TestTransportForwarded(t *testing.T) {
	addr := speak(t, func(w *wire) {
		const rest = "User-Agent: Go-http-client/1.1\r\nAccept-Encoding: gzip\r\nProxy-Authorization: Basic dXNlcjpwQC8/\r\n\r\n"
		w.want("GET http://a.example/b?c HTTP/1.1\r\nHost: a.example\r\n" + rest)
		w.send(ok2)
		w.want("GET http://b.example:8080/ HTTP/1.1\r\nHost: b.example:8080\r\n" + rest)
		w.send(ok2)
		w.end()
	})
	tr := through(t, "http://user:p%40%2F%3F@"+addr)
	roundTrip(t, tr, getRequest(t, "http://a.example/b?c"))
	roundTrip(t, tr, getRequest(t, "http://b.example:8080"))
	if _, err := tr.RoundTrip(&http.Request{URL: &url.URL{Scheme: "http", Host: "a b"}, Header: http.Header{}}); err == nil {
		t.Error("a host with a blank was sent")
	}
}

// A proxy whose URL has no credentials gets none.
func TestTransportForwardedToAll(t *testing.T) {
	addr := speak(t, func(w *wire) {
		w.want("GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nUser-Agent: Go-http-client/1.1\r\nAccept-Encoding: gzip\r\n\r\n")
		w.send(ok2)
		w.end()
	})
	roundTrip(t, through(t, "http://"+addr), getRequest(t, "http://a.example"))
}

// A response to CONNECT that is not 2xx opens no tunnel, and has an ordinary body.
func TestTransportNoTunnel(t *testing.T) {
	for _, status := range []string{"300 Multiple Choices", "403 Forbidden"} {
		addr := speak(t, func(w *wire) {
			w.head()
			w.send("HTTP/1.1 " + status + "\r\nContent-Length: 2\r\n\r\nno")
		})
		tr := new(nethttp.Transport)
		defer tr.Close()
		req, _ := http.NewRequestWithContext(t.Context(), "CONNECT", "http://"+addr, nil)
		if resp, body := roundTrip(t, tr, req); resp.Status != status || body != "no" {
			t.Errorf("got %s, %q", resp.Status, body)
		} else if _, ok := resp.Body.(io.Writer); ok {
			t.Errorf("%s has opened a tunnel", status)
		}
	}
}

// A CONNECT to a proxy has the configured fields, and a proxy's response that opens no tunnel is an error with its status
// text.
func TestTransportConnect(t *testing.T) {
	mine := errors.New("mine")
	const head = "CONNECT site.example:443 HTTP/1.1\r\nHost: site.example:443\r\n"
	for name, tc := range map[string]struct {
		edit         func(tr *nethttp.Transport)
		asked        string // "" if the proxy is not asked
		answer, want string // the response, and the error
		is           error
		user         string
		seen         *string
	}{
		"refused":              {nil, head + "User-Agent: Go-http-client/1.1\r\n\r\n", "HTTP/1.1 403 Not For You\r\n\r\n", "Not For You", nil, "", nil},
		"no reason phrase":     {nil, head + "User-Agent: Go-http-client/1.1\r\n\r\n", "HTTP/1.1 403\r\n\r\n", "unknown status code", nil, "", nil},
		"credentials":          {nil, "", "HTTP/1.1 407 No\r\n\r\n", "No", nil, "user:secret@", nil},
		"no response":          {nil, head + "User-Agent: Go-http-client/1.1\r\n\r\n", "", "", nil, "", nil},
		"no TLS in the tunnel": {nil, head + "User-Agent: Go-http-client/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 400 Bad\r\n\r\n", "before the TLS handshake", nil, "", nil},
		"fields": {func(tr *nethttp.Transport) { tr.ProxyConnectHeader = http.Header{"User-Agent": {"me"}, "X": {"1"}} },
			"", "HTTP/1.1 403 No\r\n\r\n", "No", nil, "", nil},
		"GetProxyConnectHeader": {func(tr *nethttp.Transport) {
			tr.ProxyConnectHeader = http.Header{"Y": {"1"}}
			tr.GetProxyConnectHeader = func(_ context.Context, u *url.URL, target string) (http.Header, error) {
				return http.Header{"User-Agent": nil, "X": {u.Scheme + " " + target}}, nil
			}
		}, head + "X: http site.example:443\r\n\r\n", "HTTP/1.1 403 No\r\n\r\n", "No", nil, "", nil},
		"GetProxyConnectHeader fails": {func(tr *nethttp.Transport) {
			tr.GetProxyConnectHeader = func(context.Context, *url.URL, string) (http.Header, error) { return nil, mine }
		}, "", "", "", mine, "", nil},
		"OnProxyConnectResponse": {func(tr *nethttp.Transport) {
			tr.OnProxyConnectResponse = func(_ context.Context, u *url.URL, req *http.Request, resp *http.Response) error {
				if u.Scheme != "http" || req.Method != "CONNECT" || req.URL.Opaque != "site.example:443" || resp.Status != "407 Proxy Authentication Required" || resp.Header.Get("A") != "b" {
					t.Errorf("got %v, %+v, %+v", u, req, resp)
				}
				return mine
			}
		}, head + "User-Agent: Go-http-client/1.1\r\n\r\n", "HTTP/1.1 407 No\r\nA: b\r\n\r\n", "", mine, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			addr := speak(t, func(w *wire) {
				if tc.asked != "" {
					w.want(tc.asked)
				} else if got := w.head(); got != "" && !strings.HasPrefix(got, head) {
					t.Errorf("got %q", got)
				} else if user := "Proxy-Authorization: Basic dXNlcjpzZWNyZXQ=\r\n"; tc.user != "" && !strings.Contains(got, user) {
					t.Errorf("got %q without credentials", got)
				}
				w.send(tc.answer)
			})
			tr := through(t, "http://"+tc.user+addr)
			if tc.edit != nil {
				tc.edit(tr)
			}
			fields := tr.ProxyConnectHeader.Clone()
			_, err := tr.RoundTrip(getRequest(t, "https://site.example/"))
			if err == nil || tc.is != nil && err != tc.is || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q, %v", err, tc.want, tc.is)
			}
			if len(fields) != len(tr.ProxyConnectHeader) {
				t.Errorf("ProxyConnectHeader has become %v", tr.ProxyConnectHeader)
			}
		})
	}
}

// A site behind a proxy is reached through a tunnel, and speaks HTTP/2 if both sides allow it.
func TestTransportTunnel(t *testing.T) {
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	site.EnableHTTP2 = true
	site.StartTLS()
	t.Cleanup(site.Close)
	proxy := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nc, err := net.Dial("tcp", r.Host)
		if err != nil {
			t.Error(err)
			return
		}
		defer nc.Close()
		c, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 200 Go ahead\r\n\r\n")
		go io.Copy(nc, buf)
		io.Copy(c, nc)
	}))
	trusts := site.Client().Transport.(*http.Transport).TLSClientConfig
	for _, secure := range []bool{false, true} {
		p := httptest.NewUnstartedServer(proxy.Config.Handler)
		if p.Start(); secure {
			p.Close()
			p = httptest.NewUnstartedServer(proxy.Config.Handler)
			p.StartTLS()
		}
		t.Cleanup(p.Close)
		for _, force := range []bool{false, true} {
			tr := through(t, p.URL)
			tr.TLSClientConfig, tr.ForceAttemptHTTP2 = trusts, force
			want := map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"}[force]
			for range 2 {
				if _, body := roundTrip(t, tr, getRequest(t, site.URL)); body != want {
					t.Errorf("TLS to the proxy %v: got %q, want %q", secure, body, want)
				}
			}
			tr.CloseIdleConnections()
			if tr.Close(); len(trusts.NextProtos) > 0 {
				t.Errorf("TLSClientConfig has become %v", trusts.NextProtos)
			}
		}
	}
}

// A SOCKS5 proxy gets the messages of RFC 1928.
func TestTransportSOCKS5(t *testing.T) {
	for name, tc := range map[string]struct{ host, asked string }{
		"name":    {"bücher.example", "\x05\x01\x00\x03\x15xn--bcher-kva.example\x00\x50"},
		"address": {"192.0.2.1:81", "\x05\x01\x00\x01\xc0\x00\x02\x01\x00\x51"},
	} {
		t.Run(name, func(t *testing.T) {
			addr := speak(t, func(w *wire) {
				w.want("\x05\x01\x00")
				w.send("\x05\x00")
				w.want(tc.asked)
				w.send("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
				w.want("GET / HTTP/1.1\r\n")
				w.head()
				w.send(ok2)
				w.end()
			})
			roundTrip(t, through(t, "socks5://"+addr), getRequest(t, "http://"+tc.host+"/"))
		})
	}
}

// An error of Proxy is returned as it is, and one of dialling the proxy as a net.OpError with Op "proxyconnect".
func TestTransportProxyFails(t *testing.T) {
	mine := errors.New("mine")
	tr := &nethttp.Transport{Proxy: func(*http.Request) (*url.URL, error) { return nil, mine }}
	if _, err := tr.RoundTrip(getRequest(t, "http://a.example")); err != mine {
		t.Errorf("got %v", err)
	}
	tr = through(t, "ftp://a.example")
	if _, err := tr.RoundTrip(getRequest(t, "http://a.example")); err == nil || !strings.Contains(err.Error(), `"ftp"`) {
		t.Errorf("got %v", err)
	}
	for _, scheme := range []string{"http", "https", "socks5"} {
		for _, site := range []string{"http", "https"} {
			tr = through(t, scheme+"://a.example")
			tr.Dial = func(string, string) (net.Conn, error) { return nil, mine }
			_, err := tr.RoundTrip(getRequest(t, site+"://b.example"))
			var op *net.OpError
			if !errors.As(err, &op) || op.Op != "proxyconnect" || op.Net != "tcp" || op.Err != mine {
				t.Errorf("%s by %s: got %v", site, scheme, err)
			}
		}
	}
	tr = &nethttp.Transport{Proxy: func(*http.Request) (*url.URL, error) { return nil, nil },
		Dial: func(string, string) (net.Conn, error) { return nil, mine }}
	if _, err := tr.RoundTrip(getRequest(t, "http://a.example")); err != mine {
		t.Errorf("without a proxy: got %v", err)
	}
}

// Each kind of connection is opened by the most specific dial function that is set, and one that returns no connection is
// an error.
func TestTransportDials(t *testing.T) {
	called := ""
	note := func(name string) error { called += name + " "; return errors.New("mine") }
	set := map[string]func(tr *nethttp.Transport){
		"Dial": func(tr *nethttp.Transport) {
			tr.Dial = func(n, a string) (net.Conn, error) { return nil, note("Dial " + n + " " + a) }
		},
		"DialContext": func(tr *nethttp.Transport) {
			tr.DialContext = func(_ context.Context, n, a string) (net.Conn, error) { return nil, note("DialContext " + n + " " + a) }
		},
		"DialTLS": func(tr *nethttp.Transport) {
			tr.DialTLS = func(n, a string) (net.Conn, error) { return nil, note("DialTLS " + n + " " + a) }
		},
		"DialTLSContext": func(tr *nethttp.Transport) {
			tr.DialTLSContext = func(_ context.Context, n, a string) (net.Conn, error) {
				return nil, note("DialTLSContext " + n + " " + a)
			}
		},
	}
	for _, tc := range []struct{ has, url, want string }{
		{"Dial", "http://a", "Dial tcp a:80 "},
		{"Dial", "https://a:444", "Dial tcp a:444 "},
		{"Dial DialContext", "http://[::1]", "DialContext tcp [::1]:80 "},
		{"Dial DialContext DialTLS", "https://bücher.example", "DialTLS tcp xn--bcher-kva.example:443 "},
		{"Dial DialContext DialTLS DialTLSContext", "https://A", "DialTLSContext tcp a:443 "},
		{"DialTLS DialTLSContext Dial", "http://a", "Dial tcp a:80 "},
	} {
		tr := new(nethttp.Transport)
		for name := range strings.FieldsSeq(tc.has) {
			set[name](tr)
		}
		called = ""
		if _, err := tr.RoundTrip(getRequest(t, tc.url)); err == nil || err.Error() != "mine" || called != tc.want {
			t.Errorf("%v: got %v, called %q", tc, err, called)
		}
	}
	for name, edit := range map[string]func(tr *nethttp.Transport){
		"DialContext hook": func(tr *nethttp.Transport) {
			tr.DialContext = func(context.Context, string, string) (net.Conn, error) { return nil, nil }
		},
		"Dial hook":                 func(tr *nethttp.Transport) { tr.Dial = func(string, string) (net.Conn, error) { return nil, nil } },
		"DialTLS or DialTLSContext": func(tr *nethttp.Transport) { tr.DialTLS = func(string, string) (net.Conn, error) { return nil, nil } },
	} {
		tr := new(nethttp.Transport)
		edit(tr)
		if _, err := tr.RoundTrip(getRequest(t, "https://a")); err == nil || err.Error() != "net/http: Transport."+name+" returned (nil, nil)" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A connection that DialTLSContext returns is used as it is, but a TLS handshake that is missing is done.
func TestTransportDialTLS(t *testing.T) {
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	site.EnableHTTP2 = true
	site.StartTLS()
	t.Cleanup(site.Close)
	plain := httptest.NewServer(site.Config.Handler)
	t.Cleanup(plain.Close)
	cfg := site.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	cfg.ServerName = "example.com"
	offers := func(protos ...string) *tls.Config {
		c := cfg.Clone()
		c.NextProtos = protos
		return c
	}
	for name, tc := range map[string]struct {
		dial func(ctx context.Context, network, addr string) (net.Conn, error)
		want string
		tls  bool
	}{
		"handshake done": {(&tls.Dialer{Config: offers("h2")}).DialContext, "HTTP/2.0", true},
		"handshake missing": {func(_ context.Context, network, addr string) (net.Conn, error) {
			nc, err := net.Dial(network, addr)
			return tls.Client(nc, offers("h2", "http/1.1")), err
		}, "HTTP/2.0", true},
		"HTTP/1.1": {(&tls.Dialer{Config: offers("http/1.1")}).DialContext, "HTTP/1.1", true},
		"no TLS at all": {func(_ context.Context, network, _ string) (net.Conn, error) {
			return net.Dial(network, plain.Listener.Addr().String())
		}, "HTTP/1.1", false},
	} {
		t.Run(name, func(t *testing.T) {
			tr := &nethttp.Transport{DialTLSContext: tc.dial, ForceAttemptHTTP2: true}
			defer tr.Close()
			resp, body := roundTrip(t, tr, getRequest(t, site.URL))
			if body != tc.want || (resp.TLS != nil) != tc.tls {
				t.Errorf("got %q, TLS %v", body, resp.TLS)
			}
		})
	}
}

// A proxy has a minute to respond to CONNECT.
func TestTransportSilentProxy(t *testing.T) {
	inBubble(t, func(t *testing.T, b *bubble) {
		b.tr.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: "proxy.example"})
		b.tr.Dial = b.dialTo(func(w *wire) {
			w.head()
			w.end()
		})
		begun := time.Now()
		_, err := b.tr.RoundTrip(getRequest(t, "https://site.example"))
		if took := time.Since(begun); err != context.DeadlineExceeded || took != time.Minute {
			t.Errorf("got %v after %v", err, took)
		}
		b.is("it was given up", 1, 0)
	})
}
