package client_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/client"
)

// A server sees the same requests and redirects in both versions of HTTP.
func TestVersionsAlike(t *testing.T) {
	m := newMaze(t)
	for _, path := range []string{"/end", "/302/!end?c=x=1", "/307/http:!!b.test!end", "/303/http:!!u:p@a.test!302!~end", "/308/!end"} {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE", "HEAD"} {
			for _, body := range []string{"", "body"} {
				var seen [2]string
				for i, p := range []client.Protocol{client.HTTP1, client.HTTP2} {
					jar, _ := cookiejar.New(nil)
					c := newClient(t, client.Config{Protocol: p, NetDial: m.dial, Jar: jar})
					req := &client.Request{Method: method, URL: "http://user:pw@a.test" + path, Body: []byte(body), Header: fields("X-Own", " x ", "cookie", "own=1", "Cookie", "two=2")}
					status, got, err := do(c, req)
					seen[i] = fmt.Sprint(status, got, err, strings.Join(m.take(), "\n"))
					c.Close()
				}
				if seen[0] != seen[1] {
					t.Errorf("%s %s %q:\n%s\n%s", method, path, body, seen[0], seen[1])
				}
			}
		}
	}
}

// The rest of a response that redirects is dropped.
func TestRedirectLeavesNothing(t *testing.T) {
	url := converse(t, func(n int, p *peer) {
		switch p.head(); n {
		case 0:
			p.say("HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 1000000\r\n\r\nnot all of it")
			p.rest()
		default:
			p.say(ok("next"))
			p.rest()
		}
	})
	c := newClient(t, client.Config{})
	if status, body, err := do(c, &client.Request{URL: url}); status != 200 || body != "next" || err != nil {
		t.Errorf(`got %d, %q, %v; want 200, "next"`, status, body, err)
	}
	c.CloseIdle()
	if s := settled(t, c); s.OpenedConnections != 2 || s.Redirects != 1 {
		t.Errorf("got %+v; want OpenedConnections 2, Redirects 1", s)
	}
}

// A redirect fails if Rewind fails, and is not followed if the body cannot be sent again.
func TestRedirectRewind(t *testing.T) {
	boom := &net.AddrError{Err: "boom"}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/next", http.StatusPermanentRedirect)
	})
	c := newClient(t, client.Config{MaxRedirects: 3})
	req := &client.Request{Method: "PUT", URL: url, Stream: newOnce("x")}
	if status, _, err := do(c, req); status != 308 || err != nil {
		t.Errorf("got %d, %v; want 308", status, err)
	}
	req = &client.Request{Method: "PUT", URL: url, Stream: newOnce("x"), Rewind: rewindFails{boom}.again}
	if _, _, err := do(c, req); err == nil || !strings.Contains(err.Error(), "boom") {
		t.Error(err)
	}
}

// A body that is being sent when the redirect comes is no longer read when it is rewound.
func TestRewindsAreAlone(t *testing.T) {
	each(t, func(t *testing.T, p client.Protocol) {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				http.Redirect(w, r, "/next", http.StatusPermanentRedirect)
				return
			}
			if b, err := io.ReadAll(r.Body); string(b) != "short" || err != nil {
				t.Errorf("got %q, %v", b, err)
			}
		})
		c := newClient(t, client.Config{Protocol: p})
		var rewound atomic.Bool
		first := readerFunc(func(p []byte) (int, error) {
			if rewound.Load() {
				t.Error("the body was read after it was rewound")
			}
			time.Sleep(time.Millisecond)
			if rewound.Load() {
				t.Error("the body was rewound during a read")
			}
			return len(p), nil // endless
		})
		req := &client.Request{Method: "PUT", URL: url + "/", Stream: first, Rewind: func() (io.Reader, error) {
			rewound.Store(true)
			return strings.NewReader("short"), nil
		}}
		if status, _, err := do(c, req); status != 200 || err != nil {
			t.Errorf("got %d, %v; want 200", status, err)
		}
	})
}

// readerFunc is an io.Reader.
type readerFunc func(p []byte) (int, error)

// Read implements io.Reader.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A redirect from https to http sends no Referer, and a login stays with its host.
func TestSecureRedirects(t *testing.T) {
	var seen []string
	note := func(r *http.Request) {
		seen = append(seen, fmt.Sprint(r.URL.Path, " ", r.Header["Referer"], r.Header["Authorization"]))
	}
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) { note(r) })
	s, trusting := secured(t, false, func(*tlsConfig) {})
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if note(r); r.URL.Path == "/down" {
			http.Redirect(w, r, plain+"/end", http.StatusFound)
		} else {
			http.Redirect(w, r, "/down", http.StatusFound)
		}
	})
	c := newClient(t, client.Config{TLSConfig: trusting})
	req := client.NewRequest("GET", s.URL+"/first")
	req.SetBasicAuth("a", "b")
	if status, _, err := do(c, req); status != 200 || err != nil {
		t.Errorf("got %d, %v; want 200", status, err)
	}
	want := []string{"/first [] [Basic YTpi]", "/down [" + s.URL + "/first] [Basic YTpi]", "/end [] [Basic YTpi]"}
	if !slices.Equal(seen, want) {
		t.Errorf("got %q, want %q", seen, want)
	}
}
