package client_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/client"
)

// diary records the calls of a Trace.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// take waits for n lines, and returns them.
func (d *diary) take(t *testing.T, n int) (lines []string) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		d.mu.Lock()
		if len(d.lines) >= n || time.Now().After(end) {
			lines, d.lines = d.lines, nil
			d.mu.Unlock()
			return lines
		}
		d.mu.Unlock()
	}
}

func (d *diary) trace() *client.Trace {
	return &client.Trace{
		GetConn:      func(host string) { d.note("get") },
		DialStart:    func(network, addr string) { d.note("dial %s", network) },
		DialDone:     func(network, addr string, err error) { d.note("dialled %v", err) },
		TLSStart:     func() { d.note("tls") },
		TLSDone:      func(s tls.ConnectionState, err error) { d.note("tls done %v %v", s.HandshakeComplete, err) },
		GotConn:      func(i client.ConnInfo) { d.note("got %v %v", i.Reused, i.Conn != nil) },
		WroteHead:    func() { d.note("head") },
		WaitContinue: func() { d.note("wait") },
		WroteRequest: func(err error) { d.note("sent %v", err) },
		FirstByte:    func() { d.note("first") },
		PutIdle:      func(err error) { d.note("idle %v", err) },
		Retry:        func(n, status int, err error) { d.note("retry %d %d %v", n, status, err) },
		Redirect: func(status int, method, to string) {
			d.note("redirect %d %s %s", status, method, to[strings.LastIndex(to, "/"):])
		},
	}
}

// The hooks are called in each phase.
func TestTrace(t *testing.T) {
	tries := 0
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch io.Copy(io.Discard, r.Body); r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/retry", http.StatusFound)
		case "/retry":
			if tries++; tries == 1 {
				w.WriteHeader(503)
			}
		}
	}))
	defer s.Close()
	var d, own diary
	c := newClient(t, client.Config{Trace: d.trace(), TLSConfig: &tls.Config{InsecureSkipVerify: true}, Retry: client.Retry{Max: 1, Wait: time.Microsecond}})
	for _, tc := range []struct {
		req  client.Request
		want []string
	}{
		{client.Request{}, []string{"get", "dial tcp", "dialled <nil>", "tls", "tls done true <nil>", "got false true", "head", "sent <nil>", "first", "idle <nil>"}},
		{client.Request{}, []string{"get", "got true true", "head", "sent <nil>", "first", "idle <nil>"}},
		{client.Request{Close: true}, []string{"get", "got true true", "head", "sent <nil>", "first", "idle http: connections are not reused"}},
	} {
		tc.req.URL = s.URL
		if _, _, err := do(c, &tc.req); err != nil {
			t.Fatal(err)
		}
		if got := d.take(t, len(tc.want)); !slices.Equal(got, tc.want) {
			t.Errorf("got  %q\nwant %q", got, tc.want)
		}
	}
	c.Warmup(1, s.URL)
	d.take(t, 0)
	req := &client.Request{URL: s.URL + "/redirect", Trace: own.trace()}
	if _, _, err := do(c, req); err != nil {
		t.Fatal(err)
	}
	one := []string{"get", "got true true", "head", "sent <nil>", "first", "idle <nil>"}
	unused := slices.Clone(one)
	unused[1] = "got false true" // by another request, that is
	want := slices.Concat(unused, []string{"redirect 302 GET /retry"}, one, []string{"retry 1 503 <nil>"}, one)
	if got := own.take(t, len(want)); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := d.take(t, 0); len(got) > 0 {
		t.Errorf("the client's own is told %q", got)
	}
	req = &client.Request{Method: "PUT", URL: s.URL, Body: []byte("x"), ExpectContinue: true, Trace: own.trace()}
	if _, _, err := do(c, req); err != nil {
		t.Fatal(err)
	}
	if got := own.take(t, 7); !slices.Contains(got, "wait") || !slices.Contains(got, "sent <nil>") {
		t.Errorf("got %q", got)
	}
	boom := newClient(t, client.Config{Trace: d.trace()})
	boom.Get("http://127.0.0.1:1")
	if got := d.take(t, 3); len(got) != 3 || got[0] != "get" || !strings.HasPrefix(got[2], "dialled dial tcp") {
		t.Errorf("got %q", got)
	}
	var nothing client.Trace
	if _, _, err := do(c, &client.Request{Method: "PUT", URL: s.URL, Body: []byte("x"), ExpectContinue: true, Trace: &nothing}); err != nil {
		t.Error(err)
	}
}
