package client_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/client"
)

// With poisoning, Close overwrites what the Response has returned.
func TestPoison(t *testing.T) {
	each(t, func(t *testing.T, p client.Protocol) {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Kept", "a value")
			w.Header().Set("Trailer", "X-Later")
			w.Write([]byte("a body"))
			w.Header().Set("X-Later", "a trailer")
		})
		c := newClient(t, client.Config{Protocol: p})
		c.Poison()
		resp, err := c.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		body, err := resp.AppendBody(nil)
		kept, later, copied := resp.Header().Get("X-Kept"), resp.Trailer().Get("X-Later"), resp.Header().GetString("X-Kept")
		if string(kept) != "a value" || string(later) != "a trailer" || string(body) != "a body" || err != nil {
			t.Errorf(`got %q, %q, %q, %v; want "a value", "a trailer", "a body"`, kept, later, body, err)
		}
		resp.Close()
		if strings.ContainsAny(string(kept), "a value") || strings.ContainsAny(string(later), "a trailer") {
			t.Errorf("it still says %q and %q", kept, later)
		}
		if string(body) != "a body" || copied != "a value" {
			t.Errorf("what is the program's own became %q and %q", body, copied)
		}
		resp.Close()
		if n, err := resp.Body().Read(make([]byte, 1)); n != 0 || err != client.ErrBodyClosed {
			t.Errorf("got %d, %v; want 0, %v", n, err, client.ErrBodyClosed)
		}
		other, err := c.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		if other == resp {
			t.Error("got the same Response, want another one")
		}
		resp.Close()
		if got := other.Header().Get("X-Kept"); !bytes.Equal(got, []byte("a value")) {
			t.Errorf(`got %q, want "a value"`, got)
		}
		other.Close()
	})
}

// With poisoning, Close also overwrites the response to a request with a body.
func TestPoisonWithBody(t *testing.T) {
	each(t, func(t *testing.T, p client.Protocol) {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Kept", "a value") })
		c := newClient(t, client.Config{Protocol: p})
		c.Poison()
		for _, trace := range []*client.Trace{nil, {}} {
			resp, err := c.Do(t.Context(), &client.Request{Method: "POST", URL: url, Body: []byte("sent"), Trace: trace})
			if err != nil {
				t.Fatal(err)
			}
			kept := resp.Header().Get("X-Kept")
			if resp.Close(); strings.ContainsAny(string(kept), "a value") {
				t.Errorf("it still says %q", kept)
			}
		}
	})
}

// A Response is not reused while the body of its request is being sent.
func TestReusedBehindStream(t *testing.T) {
	url := converse(t, func(_ int, p *peer) {
		for p.head() != "" {
			p.say(ok("x"))
		}
	})
	c := newClient(t, client.Config{Protocol: client.HTTP1})
	for range 5 {
		stream, w := io.Pipe()
		resp, err := c.Do(t.Context(), &client.Request{Method: "PUT", URL: url, Stream: struct{ io.Reader }{stream}})
		if err != nil {
			t.Fatal(err)
		}
		resp.Close()
		other, err := c.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		if other == resp {
			t.Error("got the same Response, want another one")
		}
		other.Close()
		w.Close()
	}
}

// After Close nobody reads the request's body, even if the server has responded without reading it.
func TestBodyMayBeChanged(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, p client.Protocol) {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(403) })
		c := newClient(t, client.Config{Protocol: p})
		body := make([]byte, 4<<20)
		for range 5 {
			status, _, err := do(c, &client.Request{Method: "PUT", URL: url, Body: body})
			if status != 403 && err == nil {
				t.Error(status)
			}
			for i := range body { // which the race detector would see
				body[i]++
			}
		}
	})
}
