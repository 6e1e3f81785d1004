package nethttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shockwave-go/shockwave/nethttp"
)

// kept is everything that a handler can keep of a request.
type kept struct {
	Method, RequestURI, Proto, Host, RemoteAddr string
	URL                                         *url.URL
	Header, Trailer                             http.Header
	Body                                        []byte
}

// expectation is what request i of connection c must have looked like, made without any of its bytes.
func expectation(c, i int, remote string) kept {
	k := kept{
		Method: "GET", Proto: "HTTP/1.1", Host: fmt.Sprintf("host-%d.test", c), RemoteAddr: remote,
		RequestURI: fmt.Sprintf("/c/%d/%d?%s", c, i, strings.Repeat("q", i%50)),
		Header: http.Header{
			"X-Id":       {fmt.Sprintf("%d-%d", c, i)},
			"X-Two":      {"first:" + strings.Repeat("a", i%30), "second"},
			"User-Agent": {"keeper"},
		},
	}
	k.URL, _ = url.ParseRequestURI(k.RequestURI)
	switch i % 4 {
	case 1:
		k.Method, k.Body = "POST", body(c, i)
		k.Header.Set("Content-Length", fmt.Sprint(len(k.Body)))
	case 2:
		k.Method, k.Body, k.Trailer = "LONGMETHOD", body(c, i), http.Header{"X-End": {fmt.Sprint("end ", i)}}
	case 3:
		for n := range 20 { // more than stands inside an exchange
			k.Header[fmt.Sprintf("X-Many-%d", n)] = []string{fmt.Sprint(c, " ", i, " ", n)}
		}
	}
	return k
}

func body(c, i int) []byte { return []byte(strings.Repeat(fmt.Sprintf("%d.%d ", c, i), 1+i%300)) }

// wire writes k as a request, in the spelling of names that clients like.
func (k kept) wire(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nhost: %s\r\n", k.Method, k.RequestURI, k.Host)
	for name, values := range k.Header {
		for _, v := range values {
			if i%2 == 0 {
				name = strings.ToLower(name)
			}
			fmt.Fprintf(&b, "%s: %s\r\n", name, v)
		}
	}
	if k.Trailer == nil {
		return b.String() + "\r\n" + string(k.Body)
	}
	fmt.Fprintf(&b, "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n", len(k.Body), k.Body)
	return b.String() + "x-end: " + k.Trailer.Get("X-End") + "\r\n\r\n"
}

// TestNothingKeptEverChanges lets a handler keep all it gets of thousands of requests, on many connections, pipelined
// and not, and looks at all of it when the last has been answered.
func TestNothingKeptEverChanges(t *testing.T) {
	const connections, requests, batch = 20, 200, 8
	var mu sync.Mutex
	all := map[string]kept{}
	var contexts []context.Context
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if len(b) == 0 {
			b = nil
		}
		mu.Lock()
		all[r.Header.Get("X-Id")] = kept{r.Method, r.RequestURI, r.Proto, r.Host, r.RemoteAddr, r.URL, r.Header, r.Trailer, b}
		contexts = append(contexts, r.Context())
		mu.Unlock()
		w.Header().Set("X-Id", r.Header.Get("X-Id"))
	})
	addr := serveOurs(t, &nethttp.Server{Handler: h, ErrorLog: quiet()})

	want := map[string]kept{}
	var clients sync.WaitGroup
	for c := range connections {
		p := dial(t, addr)
		clients.Go(func() {
			defer p.Close()
			for i := 0; i < requests; {
				n := 1
				if c%2 == 0 {
					n = batch // pipelined
				}
				var out strings.Builder
				for range n {
					k := expectation(c, i, p.LocalAddr().String())
					mu.Lock()
					want[k.Header.Get("X-Id")] = k
					mu.Unlock()
					out.WriteString(k.wire(i))
					i++
				}
				p.say(out.String())
				for j := i - n; j < i; j++ {
					res, err := http.ReadResponse(p.in, nil)
					if err != nil {
						t.Error(err)
						return
					}
					if got, want := res.Header.Get("X-Id"), fmt.Sprintf("%d-%d", c, j); got != want {
						t.Errorf("answer %q came where %q was due", got, want)
					}
				}
			}
		})
	}
	clients.Wait()

	if len(all) != connections*requests {
		t.Fatalf("%d requests kept, want %d", len(all), connections*requests)
	}
	for id, k := range want {
		if d := cmp.Diff(k, all[id]); d != "" {
			t.Fatalf("request %s: (-want +kept)\n%s", id, d)
		}
	}
	for _, ctx := range contexts {
		if ctx.Err() != context.Canceled {
			t.Fatalf("a context that was kept says %v", ctx.Err())
		}
	}
}
