package both

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Same sends the requests to every server, one after the other on a persistent connection. It fails if a response differs from
// net/http's in its status, fields (except Date), framing, body or trailers.
func Same(t *testing.T, h http.Handler, requests []Request, options ...Option) {
	t.Helper()
	SameServer(t, With(h), requests, options...)
}

// SameServer is Same for servers with settings, or with handlers that have state. It calls configure for each server.
func SameServer(t *testing.T, configure func() *http.Server, requests []Request, options ...Option) {
	t.Helper()
	Compare(t, configure, func(t *testing.T, s *Site) []Exchange {
		var seen []Exchange
		for _, r := range requests {
			seen = append(seen, s.Do(t, r))
		}
		return seen
	}, options...)
}

// Compare calls observe for every server and fails if its result for ours differs from that for net/http's.
func Compare[V any](t *testing.T, configure func() *http.Server, observe func(t *testing.T, s *Site) V, options ...Option) {
	t.Helper()
	var want V
	RunServer(t, configure, func(t *testing.T, s *Site) {
		got := observe(t, s)
		if !s.Ours {
			want = got
			return
		}
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s differs (- net/http, + ours):\n%s", s.Name, d)
		}
	}, options...)
}
