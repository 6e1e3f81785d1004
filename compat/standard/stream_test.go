package standard

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// Events are sent one by one, and the handler's context ends when the listener leaves.
func TestEventStream(t *testing.T) {
	t.Parallel()
	left := make(chan error, 1)
	more := make(chan bool)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := 0; ; i++ {
			fmt.Fprintf(w, "id: %d\ndata: event\n\n", i)
			w.(http.Flusher).Flush()
			select {
			case <-more:
			case <-r.Context().Done():
				left <- r.Context().Err()
				return
			}
		}
	})
	for _, options := range [][]both.Option{nil, {both.TLS}} {
		both.Run(t, h, func(t *testing.T, s *both.Site) {
			res, err := s.Client.Do(s.New(t, both.Get(200, "/")))
			if err != nil {
				t.Fatal(err)
			}
			in := bufio.NewReader(res.Body)
			for i := range 10 {
				line, err := in.ReadString('\n')
				if want := fmt.Sprintf("id: %d\n", i); line != want || err != nil {
					t.Fatalf("%s: %q, %v, want %q", s.Name, line, err, want)
				}
				in.Discard(len("data: event\n\n"))
				if i < 9 {
					both.Offer(t, more, true, "the next event")
				}
			}
			res.Body.Close()
			if err := both.Receive(t, left, "the listener's leaving"); err == nil {
				t.Error("the context has no error")
			}
		}, options...)
	}
}

// Trailers of requests and responses arrive, announced or not.
func TestTrailers(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum, X-Missing")
		before := fmt.Sprint(r.Trailer)
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprintln(w, before, r.Trailer, n, err)
		http.NewResponseController(w).Flush()
		w.Header().Set("X-Sum", "announced")
		w.Header().Set(http.TrailerPrefix+"X-Late", "not announced")
		w.Header().Set("X-Ignored", "neither")
	})
	both.Compare(t, both.With(h), func(t *testing.T, s *both.Site) both.Exchange {
		p := s.Dial(t)
		p.Say("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: X-In\r\nTE: trailers\r\n\r\n" +
			"4\r\ntext\r\n0\r\nX-In: 1\r\nX-Unannounced: 2\r\n\r\n")
		x := p.Response("POST")
		if x.Trailer.Get("X-Sum") != "announced" || x.Trailer.Get("X-Late") != "not announced" ||
			!strings.HasPrefix(x.Body, "map[X-In:[]] map[X-In:[1]") {
			t.Errorf("%s: %v", s.Name, x)
		}
		return x
	})
}

// A client that asks with Expect gets 100 when the handler reads, and none if it does not.
func TestExpectContinue(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/read", count)
	mux.HandleFunc("/refuse", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusForbidden) })
	both.Compare(t, both.With(mux), func(t *testing.T, s *both.Site) (seen []both.Exchange) {
		for _, target := range []string{"/read", "/refuse"} {
			p := s.Dial(t)
			p.Say("POST " + target + " HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
			if target == "/read" {
				if line := p.Line() + p.Line(); line != "HTTP/1.1 100 Continue" {
					t.Errorf(`%s: got %q, want "HTTP/1.1 100 Continue"`, s.Name, line)
				}
				p.Say("text")
			}
			seen = append(seen, p.Response("POST"))
		}
		return seen
	})
}

// Informational responses arrive before the final one, each with its own fields.
func TestInformational(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</a.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Add("Link", "</b.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusProcessing)
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, "final")
	})
	both.Compare(t, both.With(h), func(t *testing.T, s *both.Site) (seen []both.Exchange) {
		p := s.Dial(t)
		p.Say("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		for _, status := range []int{103, 103, 102, 201} {
			x := p.Response("GET")
			if x.Status != status {
				t.Errorf("%s: %v, want %d", s.Name, x, status)
			}
			seen = append(seen, x)
		}
		return seen
	})
}

// Pipelined requests get their responses in order, whatever their handlers do with the bodies.
func TestPipelined(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/count", count)
	mux.HandleFunc("/ignore", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "ignored") })
	mux.HandleFunc("/close", func(w http.ResponseWriter, r *http.Request) {
		err := r.Body.Close()
		_, after := r.Body.Read(make([]byte, 1))
		fmt.Fprintln(w, err, errors.Is(after, http.ErrBodyReadAfterClose))
	})
	both.Compare(t, both.With(mux), func(t *testing.T, s *both.Site) (seen []both.Exchange) {
		p := s.Dial(t)
		targets := []string{"/count", "/ignore", "/close", "/none"}
		for _, target := range targets {
			p.Say("POST " + target + " HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde")
			p.Say("POST " + target + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n")
		}
		for range 2 * len(targets) {
			x := p.Response("POST")
			if x.Status == 0 {
				t.Fatalf("%s: %v", s.Name, x)
			}
			seen = append(seen, x)
		}
		return seen
	})
}
