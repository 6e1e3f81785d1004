package client_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/client"
)

// each runs f over each version of HTTP that needs no TLS.
func each(t *testing.T, f func(t *testing.T, p client.Protocol)) {
	t.Run("http1", func(t *testing.T) { f(t, client.HTTP1) })
	t.Run("h2c", func(t *testing.T) { f(t, client.HTTP2) })
}

// Get, Post and Do send what they are given, and return the response's status, head and body, in both versions of HTTP.
func TestGetPost(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", strings.TrimSpace(r.Method+" "+r.RequestURI+" "+r.Header.Get("Content-Type")))
		w.Write(body)
	})
	each(t, func(t *testing.T, p client.Protocol) {
		c := newClient(t, client.Config{Protocol: p})
		for range 3 {
			resp, err := c.Get(url + "/a?b=c#d")
			if err != nil {
				t.Fatal(err)
			}
			proto := map[client.Protocol]string{client.HTTP1: "HTTP/1.1", client.HTTP2: "HTTP/2.0"}[p]
			if resp.StatusCode() != 200 || resp.Status() != "200 OK" || resp.Proto() != proto ||
				resp.Header().GetString("X-Seen") != "GET /a?b=c" {
				t.Errorf(`got %d, %q, %s, %q; want 200, "200 OK", %s and X-Seen`, resp.StatusCode(), resp.Status(), resp.Proto(), resp.Header().Bytes(), proto)
			}
			resp.Close()
			for _, long := range []string{"", "short", strings.Repeat("long ", 100_000)} {
				resp, err = c.Post(url, "text/plain", strings.NewReader(long))
				if err != nil {
					t.Fatal(err)
				}
				body, err := resp.AppendBody([]byte("> "))
				if string(body) != "> "+long || err != nil || resp.Header().GetString("X-Seen") != "POST / text/plain" {
					t.Errorf("got %d bytes, %v", len(body), err)
				}
				resp.Close()
				req := &client.Request{Method: "POST", URL: url, Stream: io.MultiReader(strings.NewReader(long))}
				if resp, err = c.Do(context.Background(), req); err != nil {
					t.Fatal(err)
				}
				if body, err := io.ReadAll(resp.Body()); string(body) != long || err != nil {
					t.Errorf("streamed: got %d bytes, %v", len(body), err)
				}
				resp.Close()
			}
		}
	})
}
