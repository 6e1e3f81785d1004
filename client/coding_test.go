package client_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/shockwave-go/shockwave/client"
)

// coded returns text in a content coding.
func coded(t testing.TB, coding string, text []byte) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b)
	default:
		return text
	}
	w.Write(text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Every coding that Accept-Encoding offers is decoded, in both versions of HTTP.
func TestAcceptEncoding(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%q", r.Header["Accept-Encoding"]) })
	each(t, func(t *testing.T, p client.Protocol) {
		for want, req := range map[string]*client.Request{
			`["gzip, br, zstd"]`: {URL: url},
			`["br"]`:             {URL: url, Header: fields("Accept-Encoding", "br")},
			`[]`:                 {URL: url, Header: fields("Range", "bytes=0-")},
		} {
			if _, got, err := do(newClient(t, client.Config{Protocol: p}), req); got != want || err != nil {
				t.Errorf("got %s, %v, want %s", got, err, want)
			}
		}
		if _, got, err := do(newClient(t, client.Config{Protocol: p, DisableDecompression: true}), &client.Request{URL: url}); got != "[]" || err != nil {
			t.Errorf("got %s, %v, want none", got, err)
		}
	})
}

// Bodies are decompressed unless the program has disabled it.
func TestDecompression(t *testing.T) {
	text := []byte(strings.Repeat("some text, and more of it; ", 5000))
	each(t, func(t *testing.T, p client.Protocol) {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			coding := strings.Trim(r.URL.Path, "/")
			for c := range strings.SplitSeq(coding, "+") {
				w.Header().Add("Content-Encoding", c)
			}
			body := text
			for c := range strings.SplitSeq(coding, "+") {
				body = coded(t, c, body)
			}
			w.Write(body)
		})
		c, raw := newClient(t, client.Config{Protocol: p}), newClient(t, client.Config{Protocol: p, DisableDecompression: true})
		for _, coding := range []string{"gzip", "br", "zstd", "identity", "gzip+br", "zstd+gzip+gzip", "unknown", "br+unknown"} {
			known := !strings.Contains(coding, "unknown")
			for range 2 {
				resp, err := c.Get(url + "/" + coding)
				if err != nil {
					t.Fatal(err)
				}
				body, err := resp.AppendBody(nil)
				if bytes.Equal(body, text) != (known || coding == "unknown") || err != nil || resp.Decompressed() != (known && coding != "identity") {
					t.Errorf("%s: got %d bytes, %v, %v", coding, len(body), err, resp.Decompressed())
				}
				if resp.Decompressed() && resp.ContentLength() != -1 {
					t.Errorf("%s: length %d", coding, resp.ContentLength())
				}
				resp.Close()
			}
			_, body, err := do(raw, &client.Request{URL: url + "/" + coding})
			if coding != "identity" && coding != "unknown" && body == string(text) || err != nil {
				t.Errorf("%s: decompressed though it was not to be, %v", coding, err)
			}
			_, body2, err := do(c, &client.Request{URL: url + "/" + coding, Header: fields("Accept-Encoding", "br")})
			if len(body2) != len(body) || err != nil {
				t.Errorf("%s: %d bytes, %d raw, %v", coding, len(body2), len(body), err)
			}
		}
		if s := c.Stats(); s.OpenedConnections != 1 {
			t.Errorf("got %+v, want OpenedConnections 1", s)
		}
	})
}

// A small body that inflates beyond the limits is an error.
func TestBombs(t *testing.T) {
	zeros := make([]byte, 24<<20)
	bombs := map[string][]byte{}
	for _, coding := range []string{"gzip", "br", "zstd"} {
		bombs[coding] = coded(t, coding, zeros)
	}
	bombs["br+br"] = coded(t, "br", bombs["br"])
	zeros = nil
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		coding := r.URL.Path[1:]
		w.Header().Set("Content-Encoding", strings.ReplaceAll(coding, "+", ", "))
		w.Write(bombs[coding])
	})
	c := newClient(t, client.Config{MaxInflated: 1 << 20})
	ratio := newClient(t, client.Config{MaxBodyBytes: -1})
	for coding := range bombs {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		resp, err := c.Get(url + "/" + coding)
		if err != nil {
			t.Fatal(err)
		}
		body, err := resp.AppendBody(nil)
		resp.Close()
		var e *client.Error
		if len(body) > 1<<20 || !errors.As(err, &e) {
			t.Errorf("%s: got %d bytes, %v", coding, len(body), err)
		}
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<20 {
			t.Errorf("%s: %d MiB more", coding, grown>>20)
		}
		resp, err = ratio.Get(url + "/" + coding)
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body())
		if resp.Close(); coding != "gzip" && (err == nil || n > 20<<20) {
			t.Errorf("%s: got %d bytes, %v", coding, n, err)
		}
	}
}

// A body that breaks its coding is an error, and the connection is used again.
func TestBrokenCoding(t *testing.T) {
	whole := coded(t, "gzip", []byte(strings.Repeat("text ", 1000)))
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		switch r.URL.Path {
		case "/short":
			w.Write(whole[:len(whole)/2])
		case "/none":
			io.WriteString(w, "plain text")
		case "/more":
			w.Write(append(whole[:len(whole):len(whole)], "more"...))
		case "/nothing":
		}
	})
	c := newClient(t, client.Config{})
	for path, fails := range map[string]bool{"/short": true, "/none": true, "/more": true, "/nothing": false} {
		_, body, err := do(c, &client.Request{URL: url + path})
		var e *client.Error
		if fails != errors.As(err, &e) || path == "/nothing" && body != "" {
			t.Errorf("%s: got %d bytes, %v", path, len(body), err)
		}
	}
	if s := c.Stats(); s.OpenedConnections != 1 {
		t.Errorf("got %+v, want OpenedConnections 1", s)
	}
}
