package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/client"
)

// Heads, interim heads and trailers may be as long as the limits and no longer, and a connection of HTTP/2 survives a longer one.
func TestHeadLimits(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var n, size int
		fmt.Sscanf(r.URL.Path, "/%d/%d", &n, &size)
		h := w.Header()
		h["Date"], h["Content-Type"] = nil, nil
		switch r.URL.RawQuery {
		case "interim":
			fill(h, n, size)
			w.WriteHeader(103)
			clear(h)
		case "trailer":
			w.WriteHeader(200)
			w.(http.Flusher).Flush()
			trailer := http.Header{}
			fill(trailer, n, size)
			for name, values := range trailer {
				h[http.TrailerPrefix+name] = values
			}
		default:
			fill(h, n, size)
		}
	})
	each(t, func(t *testing.T, p client.Protocol) {
		for _, where := range []string{"", "?interim", "?trailer"} {
			for name, tc := range map[string]struct {
				cfg       client.Config
				good, bad string
			}{
				"fields":            {client.Config{MaxHeadFields: 50}, "/40/1", "/51/1"},
				"fields by default": {client.Config{}, "/190/1", "/201/1"},
				"bytes":             {client.Config{MaxHeadBytes: 8 << 10}, "/2/3500", "/2/4500"},
				"bytes by default":  {client.Config{}, "/10/6000", "/10/7000"},
				"one field":         {client.Config{}, "/1/60000", "/1/70000"},
				"no limit":          {client.Config{MaxHeadBytes: -1, MaxHeadFields: -1}, "/1000/500", ""},
			} {
				if where == "?trailer" && name != "fields" && name != "fields by default" {
					continue // their bytes have a bound of their own
				}
				tc.cfg.Protocol = p
				c := newClient(t, tc.cfg)
				for range 2 {
					if status, _, err := do(c, &client.Request{URL: url + tc.good + where}); status != 200 || err != nil {
						t.Errorf("%s%s: got %d, %v; want 200", name, where, status, err)
					}
					if tc.bad == "" {
						continue
					}
					status, _, err := do(c, &client.Request{URL: url + tc.bad + where})
					var e *client.Error
					if !errors.As(err, &e) || where != "?trailer" && status != 0 {
						t.Errorf("%s%s: got %d, %v", name, where, status, err)
					}
				}
				if s := c.Stats(); p == client.HTTP2 && s.OpenedConnections != 1 {
					t.Errorf("%s%s: got %+v", name, where, s)
				}
				c.Close()
			}
		}
	})
}

// fill sets n fields of the given size.
func fill(h http.Header, n, size int) {
	for i := range n {
		h.Set(fmt.Sprint("X-", i), strings.Repeat("x", size))
	}
}

// MaxBodyBytes counts decompressed bytes, and does not count what is discarded.
func TestBodyLimit(t *testing.T) {
	text := []byte(strings.Repeat("0123456789", 10_000))
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		coding := r.URL.Path[1:]
		w.Header().Set("Content-Encoding", coding)
		w.Write(coded(t, coding, text))
	})
	each(t, func(t *testing.T, p client.Protocol) {
		for _, coding := range []string{"identity", "gzip", "br", "zstd"} {
			for limit, whole := range map[int64]bool{100_000: true, 99_999: false, 1: false} {
				c := newClient(t, client.Config{Protocol: p, MaxBodyBytes: limit})
				resp, err := c.Get(url + "/" + coding)
				if err != nil {
					t.Fatal(err)
				}
				got := 0
				for b := make([]byte, 999); err == nil; {
					var n int
					n, err = resp.Body().Read(b)
					got += n
				}
				if got != int(limit) || errors.Is(err, client.ErrBodyTooLarge) == whole {
					t.Errorf("%s, limit %d: got %d bytes, %v", coding, limit, got, err)
				}
				if n, again := resp.Body().Read(make([]byte, 9)); n != 0 || again != err {
					t.Errorf("%s, limit %d: then %d, %v", coding, limit, n, again)
				}
				if got, err := resp.AppendBody(nil); len(got) > 0 || whole != (err == nil) {
					t.Errorf("%s, limit %d: then %d bytes, %v", coding, limit, len(got), err)
				}
				resp.Close()
				c.Close()
			}
		}
	})
}
