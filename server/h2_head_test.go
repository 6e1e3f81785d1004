package server

import (
	"fmt"
	"testing"

	"github.com/shockwave-go/shockwave/http2"
)

// The head of an HTTP/2 request is filled completely, whatever it held before.
func TestH2HeadIsFilled(t *testing.T) {
	s := NewServer(Config{})
	m := newH2Stream(&s.h2)
	for _, c := range []struct {
		head http2.Head
		want string
	}{
		{http2.Head{Method: "GET", Scheme: "http", Authority: "a:1", Path: "/b?c"}, `"GET" "/b?c" "http" "a:1" "/b" "c" true "a:1"`},
		{http2.Head{Method: "CONNECT", Authority: "a:1"}, `"CONNECT" "a:1" "" "a:1" "" "" false "a:1"`},
		{http2.Head{Method: "PUT", Scheme: "https", Authority: "a", Path: "/b?"}, `"PUT" "/b?" "https" "a" "/b" "" true "a"`},
		{http2.Head{Method: "X", Scheme: "x+y", Path: "/"}, `"X" "/" "x+y" "" "/" "" false ""`},
		{http2.Head{Method: "OPTIONS", Scheme: "http", Authority: "a", Path: "*"}, `"OPTIONS" "*" "http" "a" "*" "" false "a"`},
	} {
		m.fill(&c.head, true)
		h := &m.head
		if got := fmt.Sprintf("%q %q %q %q %q %q %v %q", h.Method, h.Target, h.Scheme, h.Authority, h.Path, h.Query, h.HasQuery, h.Host); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
		s.h2.giveBack(m)
		m = s.h2.streams.Get().(*h2Stream)
	}
}
