package client_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/shockwave-go/shockwave/client"
)

// Everything is counted once.
func TestStats(t *testing.T) {
	tries := 0
	hold, arrived := make(chan bool), make(chan bool)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch io.Copy(io.Discard, r.Body); r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/retry":
			if tries++; tries%2 == 1 {
				w.WriteHeader(503)
			}
		case "/hold":
			arrived <- true
			<-hold
		}
	})
	each(t, func(t *testing.T, p client.Protocol) {
		c := newClient(t, client.Config{Protocol: p, Retry: client.Retry{Max: 1, Wait: -1}})
		var want client.Stats
		step := func(name string, paths ...string) {
			t.Helper()
			for _, path := range paths {
				if _, _, err := do(c, &client.Request{URL: url + path}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if p == client.HTTP1 {
				want.IdleConnections = want.OpenConnections
			}
			got := c.Stats()
			got.Waited = want.Waited // how often HTTP/2's pool is waited for is its affair
			if got != want {
				t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
			}
		}
		step("new")
		want.Requests, want.OpenConnections, want.OpenedConnections, want.Waited = 1, 1, 1, 1
		step("first", "/")
		want.Requests, want.Reused = 3, 2
		step("others", "/", "/")
		want.Requests, want.Redirects, want.Reused = 4, 1, 4
		step("redirect", "/redirect")
		want.Requests, want.Retries, want.Reused = 5, 1, 6
		step("retry", "/retry")
		if _, _, err := do(c, &client.Request{URL: "nothing"}); !errors.Is(err, client.ErrRequest) {
			t.Error(err)
		}
		want.Requests, want.Failures = 6, 1
		step("failure")
		done := make(chan bool)
		go func() { defer close(done); do(c, &client.Request{URL: url + "/hold"}) }()
		<-arrived
		if s := c.Stats(); s.OpenConnections != 1 || s.IdleConnections != 0 || s.Requests != 7 {
			t.Errorf("under way: got %+v", s)
		}
		hold <- true
		<-done
		want.Requests, want.Reused = 7, 7
		step("after that")
		c.Close()
		want.OpenConnections = 0
		settled(t, c)
		step("closed")
	})
}
