package both_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) { both.Main(m) }

// echo responds with what it was sent, and a trailer.
func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Trailer", "X-End")
	w.Header().Set("X-Method", r.Method)
	w.WriteHeader(http.StatusAccepted)
	io.Copy(w, r.Body)
	w.Header().Set("X-End", "reached")
}

// Requests get the same responses from every server.
func TestSame(t *testing.T) {
	requests := []both.Request{
		both.Get(202, "/"),
		both.Post(202, "/", "some text"),
		both.Head(202, "//other.example.com/"),
	}
	// A response to HEAD has no chunks, so ours does not announce trailers there.
	both.Same(t, http.HandlerFunc(echo), requests, both.Without("Trailer"))
	both.Same(t, http.HandlerFunc(echo), requests, both.Without("Trailer"), both.TLS)
}

// A conversation in bytes is the same on all servers.
func TestConversation(t *testing.T) {
	for _, options := range [][]both.Option{nil, {both.TLS}} {
		both.Run(t, http.HandlerFunc(echo), func(t *testing.T, s *both.Site) {
			p := s.Dial(t)
			p.Say("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
			x := p.Response("POST")
			if x.Status != 202 || x.Body != "hi" || x.Trailer.Get("X-End") != "reached" || !x.Closes {
				t.Errorf("got %v", x)
			}
			if rest := p.Rest(); rest != "" {
				t.Errorf("then %q", rest)
			}
		}, options...)
	}
}
