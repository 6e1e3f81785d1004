package client_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/http/httpproxy"

	"github.com/shockwave-go/shockwave/client"
)

// ways is a server under every address, and every name of a proxy. It records where connections lead and the requests
// for on them, opens no tunnel, and responds to everything else.
type ways struct {
	addr string
	mu   sync.Mutex
	seen []string
}

func newWays(t *testing.T) *ways {
	w := new(ways)
	w.addr = strings.TrimPrefix(script(t, w.serve), "http://")
	return w
}

func (w *ways) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, fmt.Sprintf(format, args...))
}

func (w *ways) take() (seen []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen, w.seen = w.seen, nil
	return seen
}

func (w *ways) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	w.note("to %s", addr)
	return new(net.Dialer).DialContext(ctx, network, w.addr)
}

func (w *ways) serve(_ int, nc net.Conn) {
	r := bufio.NewReader(nc)
	if first, err := r.Peek(1); err == nil && (first[0] < 'A' || first[0] > 'Z') {
		w.note("begins with %x", first) // a greeting of SOCKS or a handshake of TLS
		return
	}
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		w.note("%s %s for %s, %q", req.Method, req.RequestURI, req.Host, req.Header["Proxy-Authorization"])
		if req.Method == "CONNECT" {
			io.WriteString(nc, "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
			return
		}
		io.WriteString(nc, ok("fine"))
	}
}

// Proxies from the environment are chosen and used as by net/http's client.
func TestProxyLikeNetHTTP(t *testing.T) {
	names := []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD", "ALL_PROXY"}
	for _, env := range []string{
		"", "HTTP_PROXY=http://p.test", "http_proxy=p.test:3128", "HTTP_PROXY=http://p.test:3128,HTTPS_PROXY=http://q.test",
		"HTTP_PROXY=http://u:p@p.test,HTTPS_PROXY=http://u%40:p%3A@q.test:1", "HTTP_PROXY=http://u@p.test", "https_proxy=https://q.test",
		"HTTP_PROXY=socks5://p.test,HTTPS_PROXY=socks5h://u:p@q.test", "HTTP_PROXY=http://p.test,REQUEST_METHOD=GET", "ALL_PROXY=http://p.test",
		"HTTP_PROXY=http://[::1]:8080", "HTTP_PROXY=http://p.test/path?query", "HTTP_PROXY=:8080", "HTTPS_PROXY=http://bücher.test",
		"HTTP_PROXY=http://p.test,HTTPS_PROXY=http://p.test,NO_PROXY=*",
		"HTTP_PROXY=http://p.test,HTTPS_PROXY=http://p.test,NO_PROXY=a.test 10.0.0.0/8 [2001:db8::]/32 b.test:8080",
		"HTTP_PROXY=http://p.test,HTTPS_PROXY=http://p.test,NO_PROXY=.a.test 10.1.2.3 2001:db8::1", "HTTP_PROXY=http://p.test,NO_PROXY=A.TEST",
	} {
		t.Run(env, func(t *testing.T) {
			for _, name := range names {
				t.Setenv(name, "")
			}
			for pair := range strings.SplitSeq(env, ",") {
				if name, value, ok := strings.Cut(pair, "="); ok {
					t.Setenv(name, strings.ReplaceAll(value, " ", ","))
				}
			}
			wayLikeNetHTTP(t)
		})
	}
}

// wayLikeNetHTTP compares the ways of requests in the current environment.
func wayLikeNetHTTP(t *testing.T) {
	w := newWays(t)
	choose := httpproxy.FromEnvironment().ProxyFunc()
	tr := &http.Transport{DialContext: w.dial, DisableKeepAlives: true, Proxy: func(r *http.Request) (*url.URL, error) { return choose(r.URL) }}
	hc := &http.Client{Transport: tr}
	defer tr.CloseIdleConnections()
	for _, target := range []string{
		"http://a.test/x?y", "http://sub.a.test/", "http://b.test:8080/", "http://b.test/", "http://10.1.2.3/", "http://[2001:db8::1]/", "http://localhost/", "http://127.0.0.1:81/",
		"https://a.test/", "https://sub.a.test:444/", "https://10.1.2.3:443/", "https://[2001:db8::1]:1/", "http://A.test:80/", "http://user:pw@c.test/", "http://a.test./",
	} {
		wantStatus := 0
		if resp, err := hc.Get(target); err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			wantStatus = resp.StatusCode
		}
		want := w.take()
		c := client.New(client.Config{NetDial: w.dial})
		status, _, _ := do(c, &client.Request{URL: target})
		c.Close()
		if got := w.take(); status != wantStatus || !slices.Equal(lowered(got), lowered(want)) {
			t.Errorf("%s: %d, want %d\n got %q\nwant %q", target, status, wantStatus, got, want)
		}
	}
}

// lowered removes differences without meaning: the case of a name, and a scheme's own port.
func lowered(lines []string) (out []string) {
	for _, line := range lines {
		out = append(out, strings.ReplaceAll(strings.ToLower(line), ".test:80/", ".test/"))
	}
	return out
}
