package http2

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// row is one conversation.
type row struct {
	name string
	// server is what is set besides the handler; nil for nothing.
	server func(s *http.Server)
	handle func(k *talk, w http.ResponseWriter, r *http.Request)
	play   func(k *talk)
	// differs says why ours may do otherwise, and ours what must then be a part of what is written down.
	differs, ours string
	// native says what keeps the row from being played on the native server.
	native string
}

// talk is a row on one server. Handlers and clients note what they see; a row sees to the order.
type talk struct {
	*testing.T
	*both.Site

	gone  chan struct{} // see left
	mu    sync.Mutex
	lines []string
}

func (k *talk) notef(format string, args ...any) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lines = append(k.lines, fmt.Sprintf(format, args...))
}

// carriers are the two ways to HTTP/2.
var carriers = []struct {
	name    string
	options []both.Option
}{
	{"h2c", []both.Option{both.HTTP2}},
	{"tls", []both.Option{both.HTTP2, both.TLS}},
}

// Conversations in frames run on our server as on net/http's, except for the differences that are named.
func TestConversations(t *testing.T) {
	for _, c := range carriers {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range slices.Concat(requestRows(), responseRows(), streamRows(), endRows(), serverRows()) {
				t.Run(r.name, func(t *testing.T) {
					t.Parallel()
					r.judge(t, c.options)
				})
			}
		})
	}
}

// judge plays the row on every server and compares what was recorded.
func (r *row) judge(t *testing.T, options []both.Option) {
	var k *talk
	configure := func() *http.Server {
		own := &talk{gone: make(chan struct{}, 1)}
		k = own
		std := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { r.handle(own, w, req) })}
		if r.server != nil {
			r.server(std)
		}
		return std
	}
	var want []string
	if r.native == "" {
		options = append(slices.Clip(options), both.Native(asNative))
	}
	both.RunServer(t, configure, func(t *testing.T, s *both.Site) {
		k.T, k.Site = t, s
		r.play(k)
		k.mu.Lock()
		got := k.lines
		k.mu.Unlock()
		d := cmp.Diff(want, got)
		switch {
		case !s.Ours:
			want = got
			if len(got) == 0 {
				t.Error("no behaviour was recorded")
			}
		case r.differs == "" && d != "":
			t.Errorf("- net/http, + ours:\n%s", d)
		case r.differs != "" && d == "":
			t.Errorf("the row is marked as different, but both servers do the same")
		case r.differs != "" && (r.ours == "" || !strings.Contains(strings.Join(got, "\n"), r.ours)):
			t.Errorf("the row wants a part that reads %q:\n%s", r.ours, strings.Join(got, "\n"))
		}
	}, options...)
}

// send is a request by the client of the standard library. Its failure ends the test.
func (k *talk) send(req *http.Request) *http.Response {
	k.Helper()
	res, err := k.Client.Do(req)
	if err != nil {
		k.Fatal(err)
	}
	k.Cleanup(func() { res.Body.Close() })
	return res
}

// request is a request to path.
func (k *talk) request(method, path string, body io.Reader) *http.Request {
	k.Helper()
	req := k.New(k.T, both.Send(0, method, path))
	if body != nil {
		with, err := http.NewRequestWithContext(k.Context(), method, req.URL.String(), body)
		if err != nil {
			k.Fatal(err)
		}
		return with
	}
	return req
}

// tell records an exchange as the client sees it.
func (k *talk) tell(req *http.Request) both.Exchange {
	k.Helper()
	x := k.Read(k.Client.Do(req))
	k.notef("client: %s", brief(x))
	return x
}

// brief is an exchange without a long body.
func brief(x both.Exchange) string {
	if n := len(x.Body); n > 200 {
		x.Body = fmt.Sprintf("%s… %d bytes", x.Body[:20], n)
	}
	return fmt.Sprintf("%slength %d, closes %v", x, x.Length, x.Closes)
}

// fields are h in the order of names.
func fields(h http.Header) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h)) {
		fmt.Fprintf(&b, "%s: %q; ", name, h[name])
	}
	return b.String()
}

// unsized hides a reader's length.
type unsized struct{ io.Reader }

// letters are n bytes of which no two neighbours of a frame are alike.
func letters(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a' + byte(i%26+i/16384%3)
	}
	return string(b)
}
