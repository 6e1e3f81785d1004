package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/client"
)

// Cookies of a response that is retried are sent with the next attempt, and replace the program's own only after a redirect.
func TestRetryCookies(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Header.Get("Cookie"))
		if len(seen) == 1 {
			w.Header().Add("Set-Cookie", "pass=1")
			w.WriteHeader(503)
		}
	})
	jar, _ := cookiejar.New(nil)
	c := newClient(t, client.Config{Jar: jar, Retry: client.Retry{Max: 1, Wait: -1}})
	for range 2 {
		if status, _, err := do(c, &client.Request{URL: url, Header: fields("Cookie", "own=2")}); status != 200 || err != nil {
			t.Errorf("got %d, %v; want 200", status, err)
		}
	}
	if want := []string{"own=2", "own=2; pass=1", "own=2; pass=1"}; !slices.Equal(seen, want) {
		t.Errorf("got %q, want %q", seen, want)
	}
}

// A fragment in the URL does not change which cookies are sent.
func TestCookiesMindNoFragment(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "a=1")
		io.WriteString(w, r.Header.Get("Cookie"))
	})
	for _, fragment := range []string{"", "#", "#a", "#100%", "#%zz#"} {
		jar, _ := cookiejar.New(nil)
		c := newClient(t, client.Config{Jar: jar})
		for _, want := range []string{"", "a=1"} {
			if _, got, err := do(c, &client.Request{URL: url + fragment}); got != want || err != nil {
				t.Errorf("%q: got %q, %v, want %q", fragment, got, err, want)
			}
		}
	}
}

// A retry fails with Rewind's error.
func TestRetryRewind(t *testing.T) {
	var seen atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(503)
	})
	boom := errors.New("boom")
	c := newClient(t, client.Config{Retry: client.Retry{Max: 5, Wait: -1, Budget: -1}})
	first := newOnce("x")
	req := &client.Request{Method: "PUT", URL: url, Stream: first, Rewind: func() (io.Reader, error) { return nil, boom }}
	if _, _, err := do(c, req); !errors.Is(err, boom) || seen.Load() != 1 {
		t.Errorf("%v, seen %d times", err, seen.Load())
	}
	<-first.closed
	all := []*once{newOnce("x")}
	req = &client.Request{Method: "PUT", URL: url, Stream: all[0], Rewind: func() (io.Reader, error) {
		all = append(all, newOnce("x"))
		return all[len(all)-1], nil
	}}
	if status, _, err := do(c, req); status != 503 || err != nil || len(all) != 6 {
		t.Errorf("%d, %v, sent %d times", status, err, len(all))
	}
	for _, s := range all {
		<-s.closed
	}
}

// once is a body that must be closed once, perhaps after Do has returned.
type once struct {
	io.Reader
	closed chan bool
}

func newOnce(s string) *once { return &once{strings.NewReader(s), make(chan bool)} }

func (o *once) Close() error { close(o.closed); return nil }

// The statuses in Retry.Statuses are retried, and no others.
func TestRetryStatuses(t *testing.T) {
	var seen atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var status int
		fmt.Sscanf(r.URL.Path, "/%d", &status)
		seen.Add(1)
		w.WriteHeader(status)
	})
	for own, again := range map[string][]int{"default": {429, 502, 503, 504}, "own": {500, 404}, "none": {}} {
		retry := client.Retry{Max: 1, Wait: -1, Budget: -1}
		if own != "default" {
			retry.Statuses = again
		}
		c := newClient(t, client.Config{Retry: retry})
		for _, status := range []int{200, 404, 408, 425, 429, 500, 501, 502, 503, 504, 507} {
			seen.Store(0)
			got, _, err := do(c, &client.Request{URL: fmt.Sprint(url, "/", status)})
			want := int32(1)
			if slices.Contains(again, status) {
				want = 2
			}
			if got != status || err != nil || seen.Load() != want {
				t.Errorf("%s: %d, %v, seen %d times, want %d", own, got, err, seen.Load(), want)
			}
		}
	}
}

// Network errors are retried; errors of unknown names, certificates, protocols and the program are not.
func TestRetryErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		err   error
		again bool
	}{
		"refused":        {&net.OpError{Op: "dial", Err: errors.New("refused")}, true},
		"EOF":            {io.EOF, true},
		"no such name":   {&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}, false},
		"name, for now":  {&net.OpError{Op: "dial", Err: &net.DNSError{Err: "try again", IsTemporary: true}}, true},
		"name, too slow": {&net.OpError{Op: "dial", Err: &net.DNSError{Err: "slow", IsTimeout: true}}, true},
		"own":            {errors.New("own"), false},
	} {
		n := 0
		var told []string
		c := newClient(t, client.Config{
			NetDial: func(context.Context, string, string) (net.Conn, error) { n++; return nil, tc.err },
			Retry:   client.Retry{Max: 2, Wait: -1, Budget: -1},
			Trace:   &client.Trace{Retry: func(attempt, status int, err error) { told = append(told, fmt.Sprint(attempt, " ", status, " ", err)) }},
		})
		_, _, err := do(c, &client.Request{URL: "http://a.test"})
		want := 1
		if tc.again {
			want = 3
		}
		if !errors.Is(err, tc.err) || n != want || len(told) != want-1 || want > 1 && told[1] != "2 0 "+tc.err.Error() {
			t.Errorf("%s: %v, dialled %d times, told %q", name, err, n, told)
		}
	}
}

// An attempt that times out is retried, within the time of the whole request.
func TestRetryTimeouts(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	url := converse(t, func(_ int, p *peer) {
		p.head()
		if n.Add(1) == 3 {
			p.say(ok("at last"))
		}
		p.rest()
	})
	c := newClient(t, client.Config{HeadTimeout: time.Second, Retry: client.Retry{Max: 2, Wait: -1}})
	if status, body, err := do(c, &client.Request{URL: url}); status != 200 || body != "at last" || err != nil {
		t.Errorf(`got %d, %q, %v; want 200, "at last"`, status, body, err)
	}
	n.Store(3)
	if _, _, err := do(c, &client.Request{URL: url, Timeout: 1500 * time.Millisecond}); !errors.Is(err, client.ErrTimeout) || n.Load() > 5 {
		t.Errorf("%v after %d attempts", err, n.Load()-3)
	}
}

// Each redirect may be retried Max times, and a retried redirect counts once.
func TestRetryRedirect(t *testing.T) {
	var seen []string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, r.Method+r.URL.Path+string(body)+r.Header.Get("Referer"))
		switch len(seen) {
		case 1, 3:
			w.WriteHeader(503)
		case 2:
			http.Redirect(w, r, "/next", http.StatusTemporaryRedirect)
		}
	})
	c := newClient(t, client.Config{Retry: client.Retry{Max: 1, Wait: -1}})
	status, _, err := do(c, &client.Request{Method: "PUT", URL: url + "/first", Body: []byte("body")})
	want := []string{"PUT/firstbody", "PUT/firstbody", "PUT/nextbody" + url + "/first", "PUT/nextbody" + url + "/first"}
	if status != 200 || err != nil || !slices.Equal(seen, want) {
		t.Errorf("%d, %v: got %q", status, err, seen)
	}
	if s := c.Stats(); s.Requests != 1 || s.Failures != 0 || s.Redirects != 1 || s.Retries != 2 {
		t.Errorf("got %+v; want Requests 1, Failures 0, Redirects 1, Retries 2", s)
	}
}

// rewindFails is a Rewind that fails.
type rewindFails struct{ err error }

func (r rewindFails) again() (io.Reader, error) { return nil, r.err }
