package client_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/client"
)

// The hook of the phase that fails is called with the error, and no later hook is.
func TestTraceOfFailures(t *testing.T) {
	boom := errors.New("boom")
	fails := func(context.Context, string, string) (net.Conn, error) { return nil, boom }
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) {})
	leaves := converse(t, func(_ int, p *peer) { p.head() })
	waits := converse(t, func(_ int, p *peer) { p.rest() })
	half := converse(t, func(_ int, p *peer) { p.head(); p.say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhal") })
	for name, tc := range map[string]struct {
		cfg  client.Config
		req  client.Request
		want []string
	}{
		"dial":     {client.Config{NetDial: fails}, client.Request{URL: "http://a.test"}, []string{"get", "dial tcp", "dialled boom"}},
		"TLS":      {client.Config{}, client.Request{URL: strings.Replace(plain, "http", "https", 1)}, []string{"get", "dial tcp", "dialled <nil>", "tls", "tls done false tls: first record does not look like a TLS handshake"}},
		"response": {client.Config{}, client.Request{URL: leaves}, []string{"get", "dial tcp", "dialled <nil>", "got false true", "head", "sent <nil>"}},
		"body":     {client.Config{}, client.Request{URL: half}, []string{"get", "dial tcp", "dialled <nil>", "got false true", "head", "sent <nil>", "first"}},
		"upload":   {client.Config{}, client.Request{Method: "PUT", URL: waits, Stream: io.MultiReader(failing{boom})}, []string{"get", "dial tcp", "dialled <nil>", "got false true", "head", "sent boom"}},
		"refused":  {client.Config{}, client.Request{URL: "nothing"}, nil},
	} {
		var d diary
		tc.req.Trace = d.trace()
		c := newClient(t, tc.cfg)
		if _, _, err := do(c, &tc.req); err == nil {
			t.Errorf("%s: no error", name)
		}
		c.Close()
		got := slices.DeleteFunc(d.take(t, len(tc.want)), func(line string) bool { return strings.HasPrefix(line, "idle http: the connection cannot") })
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, tc.want)
		}
	}
}

// failingJar is a jar that panics.
type failingJar struct{ http.CookieJar }

func (failingJar) Cookies(*url.URL) []*http.Cookie     { return nil }
func (failingJar) SetCookies(*url.URL, []*http.Cookie) { panic("hook") }

// A request whose hook panics leaves its place to the next one.
func TestHooksThatPanic(t *testing.T) {
	to := converse(t, func(_ int, p *peer) {
		if strings.HasPrefix(p.head(), "GET /fine") {
			p.say(ok("fine"))
			return
		}
		p.say("HTTP/1.1 302 Found\r\nLocation: /x\r\nSet-Cookie: a=b\r\nContent-Length: 5000000\r\n\r\n")
		p.rest()
	})
	for name, cfg := range map[string]client.Config{
		"GotConn":    {Trace: &client.Trace{GotConn: func(client.ConnInfo) { panic("hook") }}},
		"FirstByte":  {Trace: &client.Trace{FirstByte: func() { panic("hook") }}},
		"Redirect":   {Trace: &client.Trace{Redirect: func(int, string, string) { panic("hook") }}},
		"OnRedirect": {OnRedirect: func(int, *client.Header, string, string) error { panic("hook") }},
		"Jar":        {Jar: failingJar{}},
		"Retry": {Retry: client.Retry{Max: 1, Statuses: []int{302}},
			Trace: &client.Trace{Retry: func(int, int, error) { panic("hook") }}},
	} {
		cfg.MaxConnsPerHost = 1
		c := newClient(t, cfg)
		func() {
			defer func() { _ = recover() }()
			_, _ = c.Get(to + "/redirect")
			t.Errorf("%s has not panicked", name)
		}()
		req := &client.Request{URL: to + "/fine", Trace: new(client.Trace)}
		if _, body, err := do(c, req); body != "fine" || err != nil {
			t.Errorf(`%s: got %q, %v; want "fine"`, name, body, err)
		}
		c.Close()
	}
}

// Over HTTP/2 the same hooks are called, except for PutIdle.
func TestTraceOfVersions(t *testing.T) {
	each(t, func(t *testing.T, p client.Protocol) {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
		c := newClient(t, client.Config{Protocol: p})
		for _, req := range []*client.Request{{}, {Method: "POST", Body: []byte("x")}, {Method: "POST", Stream: strings.NewReader("x")}} {
			var d diary
			host, first := "", false
			trace := d.trace()
			trace.GetConn = func(h string) { host = h }
			trace.GotConn = func(i client.ConnInfo) { first = !i.Reused; d.note("got %v", i.Conn.RemoteAddr()) }
			req.URL, req.Trace = url, trace
			if _, _, err := do(c, req); err != nil {
				t.Fatal(err)
			}
			want := []string{"first", "got " + host, "head", "sent <nil>"}
			if first {
				want = append(want, "dial tcp", "dialled <nil>")
			}
			if p == client.HTTP1 {
				want = append(want, "idle <nil>")
			}
			got := d.take(t, len(want))
			slices.Sort(got)
			if slices.Sort(want); !slices.Equal(got, want) || host != strings.TrimPrefix(url, "http://") {
				t.Errorf("%s: got %q, want %q", host, got, want)
			}
		}
	})
}

// The hooks are called for each connection and each handshake.
func TestTraceOfProxies(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	defer server.Close()
	srv := httptest.NewTLSServer(&proxy{at: server.Listener.Addr().String()})
	defer srv.Close()
	var d diary
	trace := d.trace()
	trace.DialStart = func(_, addr string) { d.note("dial %v", addr == srv.Listener.Addr().String()) }
	c := newClient(t, client.Config{Proxy: via(srv.URL), Trace: trace, TLSConfig: &tls.Config{InsecureSkipVerify: true}})
	if _, _, err := do(c, &client.Request{URL: "https://a.test"}); err != nil {
		t.Fatal(err)
	}
	want := []string{"get", "dial true", "dialled <nil>", "tls", "tls done true <nil>", "tls", "tls done true <nil>", "got false true", "head", "sent <nil>", "first", "idle <nil>"}
	if got := d.take(t, len(want)); !slices.Equal(got, want) {
		t.Errorf(" got %q\nwant %q", got, want)
	}
}
