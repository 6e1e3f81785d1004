package load

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// URLs take turns on every connection, and each has its own counts.
func TestSeveralURLs(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  Config
		head string // of the answers of /b
		good [3]bool
	}{
		{"one at a time", Config{}, "", [3]bool{true, true, true}},
		{"pipelined", Config{Pipeline: 5}, "", [3]bool{true, true, true}},
		{"with a rate", Config{Rate: 1000, Pipeline: 2}, "", [3]bool{true, true, true}},
		{"large bodies", Config{Body: bytes.Repeat([]byte("x"), 100<<10), Pipeline: 2}, "", [3]bool{true, true, true}},
		{"of lengths of their own", Config{Same: true, Pipeline: 2}, "", [3]bool{true, true, true}},
		{"one that closes", Config{Pipeline: 2}, "Connection: close", [3]bool{true, true, true}},
		{"one that fails", Config{}, "404", [3]bool{true, false, true}},
		{"one that is cut", Config{}, "cut", [3]bool{true, false, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			asked := map[string]int64{}
			s := serveNetHTTP(t, false, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				asked[r.URL.Path]++
				mu.Unlock()
				if name, value, ok := strings.Cut(c.head, ": "); r.URL.Path == "/b" && ok {
					w.Header().Set(name, value)
				} else if r.URL.Path == "/b" && c.head == "cut" {
					panic(http.ErrAbortHandler)
				} else if r.URL.Path == "/b" && c.head != "" {
					w.WriteHeader(404)
				}
				w.Write([]byte("answer of " + strings.Repeat(r.URL.Path, len(r.URL.Path))))
			})
			s.url.Path = "/a"
			for _, path := range []string{"/b", "/long"} {
				u := *s.url
				u.Path = path
				c.cfg.More = append(c.cfg.More, &u)
			}
			c.cfg.Conns, c.cfg.Requests = 2, 120
			res := s.run(t, c.cfg)
			mu.Lock() // a request whose connection was cut may still be on its way
			defer mu.Unlock()
			if len(res.Targets) != 3 {
				t.Fatalf("accounts of %d URLs", len(res.Targets))
			}
			var sum, wrong int64
			for i, path := range []string{"/a", "/b", "/long"} {
				got := res.Targets[i]
				sum, wrong = sum+got.Requests, wrong+got.Errors
				if n := got.Requests + got.Errors; n < 30 || n > 50 || (got.Errors == 0) != c.good[i] || asked[path] < n {
					t.Errorf("%s was asked %d times, and its account is %+v", path, asked[path], got)
				}
				if answered := c.head != "cut" || path != "/b"; answered != (got.Mean > 0) || got.Max < got.Mean {
					t.Errorf("%s took %v, at most %v", path, got.Mean, got.Max)
				}
			}
			if sum != res.Requests || wrong != res.Errors.Total() {
				t.Errorf("%d answers and %d errors by URL, %d and %+v in all", sum, wrong, res.Requests, res.Errors)
			}
		})
	}
}

// URLs of several servers are refused.
func TestURLsOfOneServer(t *testing.T) {
	at := func(s string) *url.URL {
		u, err := url.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for _, other := range []string{"http://h:81/", "https://h:80/", "http://i:80/"} {
		cfg := Config{URL: at("http://h:80/"), More: []*url.URL{at("http://h:80/x"), at(other)}}
		if _, err := Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "one server") {
			t.Errorf("%s beside %s: %v", other, cfg.URL, err)
		}
	}
}
