package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/client"
)

// maze is a server under every name that redirects as a request's path says: /status/location, where location has its
// slashes as "!", and sets cookies as its query says. It records the requests.
type maze struct {
	addr string
	mu   sync.Mutex
	seen []string
}

func newMaze(t *testing.T) *maze {
	m := new(maze)
	m.addr = strings.TrimPrefix(serve(t, m.serve), "http://")
	return m
}

func (m *maze) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	line := fmt.Sprintf("%s %s%s %q", r.Method, r.Host, r.RequestURI, body)
	for _, name := range []string{"Authorization", "Cookie", "Referer", "Content-Type", "X-Own", "Content-Length"} {
		if v := r.Header.Values(name); len(v) > 0 {
			line += fmt.Sprintf(" %s=%q", name, v)
		}
	}
	m.mu.Lock()
	m.seen = append(m.seen, line)
	m.mu.Unlock()
	for _, c := range r.URL.Query()["c"] {
		w.Header().Add("Set-Cookie", c)
	}
	parts := strings.SplitN(r.URL.Path, "/", 3)
	if status, err := strconv.Atoi(parts[1]); err == nil {
		if len(parts) > 2 {
			w.Header().Set("Location", deeper.Replace(parts[2]))
		}
		w.WriteHeader(status)
		io.WriteString(w, "a redirect")
		return
	}
	io.WriteString(w, "the end of "+r.Host)
}

// deeper replaces the stand-in for a slash in a location by a slash, and the stand-in for that in the next location.
var deeper = strings.NewReplacer("!", "/", "~", "!")

func (m *maze) take() (seen []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	seen, m.seen = m.seen, nil
	return seen
}

func (m *maze) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, m.addr)
}

// Servers see the same redirected requests as from net/http's client.
func TestRedirectsLikeNetHTTP(t *testing.T) {
	m := newMaze(t)
	tr := &http.Transport{DialContext: m.dial, DisableCompression: true}
	defer tr.CloseIdleConnections()
	for _, path := range []string{
		"/end", "/302/!end", "/301/!307!~end", "/307/!301!~308!http:~~a.test~end", "/302/http:!!b.test!end", "/302/http:!!sub.a.test!end", "/307/http:!!b.test!end", "/308/!end", "/303/end",
		"/300/!end", "/304/!end", "/305/!end", "/302", "/302/..%2Fend", "/302/%3Fend", "/302/http:!!b.test!302!http:~~a.test~end",
		"/302/!end?c=x=1", "/302/!end?c=own=2", "/307/http:!!b.test!end?c=own=2", "/302/http:!!u:p@a.test!end", "/302/!302!~end%23frag",
		"/302/http:!!b.test:81!end", "/302/ftp:!!b.test!", "/302/!!%2Fend", "/302/http:!!", "/307/!302!~~end", "/302/http:!!a.test:80!end", "/302/http:!!u:p@b.test!end", "/302/http:!!u@a.test!302!~end",
	} {
		for _, method := range []string{"GET", "HEAD", "POST"} {
			for _, how := range []string{"none", "bytes", "once"} {
				own := []string{"X-Own", "x", "Content-Type", "text/x", "Cookie", "own=1; two=2", "Authorization", "secret"}
				if how == "bytes" {
					own = own[:6]
				}
				jar, _ := cookiejar.New(nil)
				jar2, _ := cookiejar.New(nil)
				url := "http://a.test" + path
				req, _ := http.NewRequest(method, url, nil)
				ours := &client.Request{Method: method, URL: url, Header: fields(own...)}
				switch how {
				case "bytes":
					req, _ = http.NewRequest(method, url, strings.NewReader("body"))
					ours.Body = []byte("body")
				case "once":
					req, _ = http.NewRequest(method, url, io.MultiReader(strings.NewReader("body")))
					ours.Stream = io.MultiReader(strings.NewReader("body"))
				}
				req.Header = http.Header{}
				for i := 0; i < len(own); i += 2 {
					req.Header.Set(own[i], own[i+1])
				}
				hc := &http.Client{Transport: tr, Jar: jar}
				wantStatus, wantBody := 0, ""
				if resp, err := hc.Do(req); err == nil {
					b, _ := io.ReadAll(resp.Body)
					resp.Body.Close()
					wantStatus, wantBody = resp.StatusCode, string(b)
				}
				want := m.take()
				for i := range want {
					want[i] = strings.ReplaceAll(want[i], "#frag", "") // which may not be in a Referer (RFC 9110 §10.1.3)
				}
				c := newClient(t, client.Config{NetDial: m.dial, Jar: jar2, DisableDecompression: true, MaxRedirects: 9}) // net/http stops at its tenth request
				status, body, _ := do(c, ours)
				got := m.take()
				c.Close()
				name := method + " " + path + " " + how
				if status != wantStatus || body != wantBody || !slices.Equal(got, want) {
					t.Errorf("%s:\n got %d %q %s\nwant %d %q %s", name, status, body, strings.Join(got, "\n     "), wantStatus, wantBody, strings.Join(want, "\n     "))
				}
			}
		}
	}
}

// MaxRedirects redirects are followed, and none if it is negative.
func TestRedirectLimit(t *testing.T) {
	n := 0
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { n++; http.Redirect(w, r, "/", http.StatusFound) })
	for limit, want := range map[int]int{0: 11, 3: 4, -1: 1} {
		n = 0
		c := newClient(t, client.Config{MaxRedirects: limit})
		status, _, err := do(c, &client.Request{URL: url})
		if n != want || limit < 0 && (status != 302 || err != nil) || limit >= 0 && err == nil {
			t.Errorf("limit %d: %d requests, %d, %v", limit, n, status, err)
		}
		if s := c.Stats(); s.Redirects != int64(want-1) || s.Requests != 1 || s.OpenedConnections != 1 {
			t.Errorf("limit %d: got %+v", limit, s)
		}
	}
}

// OnRedirect can end a request with an error, or with the response that redirects.
func TestOnRedirect(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/next", http.StatusFound) })
	boom := errors.New("boom")
	for _, want := range []error{http.ErrUseLastResponse, boom} {
		var said []any
		c := newClient(t, client.Config{OnRedirect: func(status int, h *client.Header, method, to string) error {
			said = append(said, status, h.GetString("Location"), method, to)
			return want
		}})
		status, _, err := do(c, &client.Request{Method: "POST", URL: url + "/", Body: []byte("x")})
		if fmt.Sprint(said...) != fmt.Sprint(302, "/next", "GET", url+"/next") {
			t.Error(said...)
		}
		if want == boom && !errors.Is(err, boom) || want != boom && (status != 302 || err != nil) {
			t.Errorf("got %d, %v; want 302 or %v", status, err, want)
		}
	}
}

// URL returns the URL of the last request.
func TestRedirectURL(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/a?b", http.StatusFound)
		}
	})
	c := newClient(t, client.Config{})
	resp, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Close()
	if resp.URL() != url+"/a?b" {
		t.Errorf("got %v, want %v", resp.URL(), url+"/a?b")
	}
}

// A redirect that comes while the body is being sent takes the body to the next server, if it can be rewound.
func TestRedirectWhileSending(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p client.Protocol) {
		long := bytes.Repeat([]byte("0123456789"), 100_000)
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				http.Redirect(w, r, "/next", http.StatusTemporaryRedirect)
				return
			}
			b, _ := io.ReadAll(r.Body)
			fmt.Fprint(w, r.Method, bytes.Equal(b, long))
		})
		c := newClient(t, client.Config{Protocol: p})
		for name, req := range map[string]*client.Request{
			"bytes":  {Body: long},
			"reader": {Stream: bytes.NewReader(long)},
			"rewind": {Stream: &closing{Reader: bytes.NewReader(long)}, Rewind: func() (io.Reader, error) { return bytes.NewReader(long), nil }},
		} {
			req.Method, req.URL = "POST", url
			if status, body, err := do(c, req); status != 200 || body != "POSTtrue" || err != nil {
				t.Errorf(`%s: got %d, %q, %v; want 200, "POSTtrue"`, name, status, body, err)
			}
		}
	})
}

// Cookies are sent as the jar says, and stored from every response.
func TestJar(t *testing.T) {
	m := newMaze(t)
	tr := &http.Transport{DialContext: m.dial, DisableCompression: true}
	defer tr.CloseIdleConnections()
	jar, _ := cookiejar.New(nil)
	jar2, _ := cookiejar.New(nil)
	hc := &http.Client{Transport: tr, Jar: jar}
	c := newClient(t, client.Config{NetDial: m.dial, Jar: jar2, DisableDecompression: true, MaxRedirects: 9}) // net/http stops at its tenth request
	all := map[string]bool{}
	for _, url := range []string{
		"http://a.test/x?c=a=1&c=b=2%3BPath=/y&c=c=3%3BDomain=a.test&c=d=%22q%20q%22&c==e&c=f=1%3BMax-Age=0&c=g=1%3BSecure",
		"http://a.test/y", "http://sub.a.test/", "http://b.test/", "http://a.test/x?c=a=9", "http://a.test:81/", "http://A.test/y/z", "http://a.test/x?c=a=%3BMax-Age=-1", "http://a.test/",
	} {
		resp, err := hc.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		want := m.take()
		if _, _, err := do(c, &client.Request{URL: url}); err != nil {
			t.Fatal(url, err)
		}
		if got := m.take(); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", url, got, want)
		}
		all[strings.Join(want, "")] = true
	}
	if len(slices.Collect(maps.Keys(all))) < 9 {
		t.Error(all)
	}
}
