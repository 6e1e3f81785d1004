package http1

import (
	"testing"

	"github.com/shockwave-go/shockwave"
)

// wantNoAllocs runs f often enough for its memory to be there first.
func wantNoAllocs(t *testing.T, what string, f func()) {
	t.Helper()
	if n := testing.AllocsPerRun(100, f); n != 0 {
		t.Errorf("%s: %v allocations", what, n)
	}
}

// In the steady state parsing and appending allocate nothing.
func TestNothingIsAllocated(t *testing.T) {
	request, bad := []byte(chrome), []byte("GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n")
	response := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n")
	chunks := []byte("5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n")
	var r Request
	wantNoAllocs(t, "request", func() {
		r.Reset()
		if n, _ := r.Parse(request); n != len(request) {
			t.Error("request", n)
		}
	})
	wantNoAllocs(t, "request in two pieces", func() {
		r.Reset()
		r.Parse(request[:300])
		if n, _ := r.Parse(request); n != len(request) {
			t.Error("request", n)
		}
	})
	wantNoAllocs(t, "bad request", func() {
		r.Reset()
		if _, err := r.Parse(bad); err == nil {
			t.Error("no error")
		}
	})
	var resp Response
	wantNoAllocs(t, "response", func() {
		resp.Reset()
		if n, _ := resp.Parse(response, "GET"); n != len(response) {
			t.Error("response", n)
		}
	})
	var d Body
	wantNoAllocs(t, "body", func() {
		d.Start(resp.Framing, Limits{})
		for n := 0; !d.Done(); {
			_, took, err := d.Next(chunks[n:])
			if n += took; err != nil || took == 0 {
				t.Fatal("body", n, err)
			}
		}
	})
	var h shockwave.Header
	h.Add("Content-Type", "text/plain")
	h.Add("X-Request-Id", "1")
	out := make([]byte, 0, 512)
	wantNoAllocs(t, "append", func() {
		b := AppendStatusLine(out, 200, "")
		b = AppendStatusLine(b, 299, "Eh")
		b, _ = AppendRequestLine(b, "GET", "/")
		b, _ = AppendField(b, "Server", "x")
		b, _ = AppendHeader(b, &h)
		b = AppendChunkSize(b, 4096)
		b = AppendLastChunk(b, &h)
		if len(b) == 0 {
			t.Error("nothing written")
		}
	})
}
