//go:build !race

package client_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/shockwave-go/shockwave/client"
	"github.com/shockwave-go/shockwave/http2"
)

// respondToAll responds to requests without bodies that arrive whole, over either version, and allocates nothing for it.
func respondToAll(nc net.Conn) {
	// :status 200, content-length 5: literals without indexing.
	block := "\x88\x0f\x0d\x015"
	in, out := make([]byte, 64<<10), http2.FrameHeader{Type: http2.FrameSettings}.Append(nil)
	response := []byte("HTTP/1.1 200 OK\r\nDate: Mon, 23 Nov 2026 03:08:01 GMT\r\nContent-Length: 5\r\n\r\nhello")
	have := 0
	for {
		n, err := nc.Read(in[have:])
		if err != nil {
			return
		}
		have += n
		if in[0] == 'G' {
			if bytes.HasSuffix(in[:have], []byte("\r\n\r\n")) {
				nc.Write(response)
				have = 0
			}
			continue
		}
		p := bytes.TrimPrefix(in[:have], []byte(http2.Preface))
		for len(p) >= http2.FrameHeaderLen {
			h := http2.ParseFrameHeader(p)
			if len(p) < http2.FrameHeaderLen+int(h.Length) {
				break
			}
			p = p[http2.FrameHeaderLen+h.Length:]
			switch {
			case h.Type == http2.FrameSettings && h.Flags&http2.FlagAck == 0:
				out = http2.FrameHeader{Type: http2.FrameSettings, Flags: http2.FlagAck}.Append(out)
			case h.Type == http2.FrameHeaders:
				out = http2.FrameHeader{Length: uint32(len(block)), Type: http2.FrameHeaders, Flags: http2.FlagEndHeaders, Stream: h.Stream}.Append(out)
				out = append(out, block...)
				out = http2.FrameHeader{Length: 5, Type: http2.FrameData, Flags: http2.FlagEndStream, Stream: h.Stream}.Append(out)
				out = append(out, "hello"...)
			}
		}
		have = copy(in, p)
		if _, err := nc.Write(out); err != nil {
			return
		}
		out = out[:0]
	}
}

// A request, and each method that is documented so, allocates nothing.
func TestAllocs(t *testing.T) {
	url := script(t, func(_ int, nc net.Conn) { respondToAll(nc) })
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools
	req := &client.Request{URL: url + "/path?query"}
	req.Header.Set("X-Own", "value")
	for _, p := range []client.Protocol{client.HTTP1, client.HTTP2} {
		if p == client.HTTP1 && (runtime.GOOS != "linux" || os.Getenv("SHOCKWAVE_LOOP") == "plain") {
			continue // idle connections cannot be looked at, and are watched by a goroutine each
		}
		c := newClient(t, client.Config{Protocol: p})
		buf := make([]byte, 0, 64)
		for name, f := range map[string]func() (*client.Response, error){
			"Do":  func() (*client.Response, error) { return c.Do(context.Background(), req) },
			"Get": func() (*client.Response, error) { return c.Get(url) },
		} {
			n := testing.AllocsPerRun(200, func() {
				resp, err := f()
				if err != nil {
					t.Fatal(err)
				}
				if buf, err = resp.AppendBody(buf[:0]); string(buf) != "hello" || err != nil {
					t.Fatalf(`got %q, %v; want "hello"`, buf, err)
				}
				resp.Close()
			})
			if n != 0 {
				t.Errorf("%s over version %d: %v allocations, want none", name, p, n)
			}
		}
		c.Close()
	}
}
