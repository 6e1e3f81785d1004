package http2

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// A client that sends the end of its stream a little after the last byte of a body, as httpx does, is not told to
// stop.
func TestTheEndComesByItself(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
	both.Run(t, h, func(t *testing.T, s *both.Site) {
		c, err := net.Dial("tcp", s.Addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(both.Patience))
		io.WriteString(c, http2.ClientPreface)
		f := http2.NewFramer(c, c)
		f.WriteSettings()
		f.WriteSettingsAck()
		var block strings.Builder
		fields := hpack.NewEncoder(&block)
		for _, h := range [][2]string{{":method", "POST"}, {":scheme", "http"}, {":authority", "x"}, {":path", "/"}, {"content-length", "5"}} {
			fields.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]})
		}
		f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte(block.String()), EndHeaders: true})
		f.WriteData(1, false, []byte("hello"))
		// The answer may come now. Two pings later it would have been followed by whatever follows it.
		for i := range byte(2) {
			await(t, f, [8]byte{'p', i})
		}
		f.WriteData(1, true, nil)
		await(t, f, [8]byte{'q'})
	}, both.HTTP2, both.Native(asNative))
}

// await sends a ping and reads until its answer. A stream that is reset meanwhile fails the test.
func await(t *testing.T, f *http2.Framer, ping [8]byte) {
	t.Helper()
	time.Sleep(50 * time.Millisecond) // for a handler to come to its end: too short would let a fault pass, never make one
	f.WritePing(false, ping)
	for {
		got, err := f.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		switch got := got.(type) {
		case *http2.RSTStreamFrame:
			t.Errorf("the stream is reset: %v", got.ErrCode)
		case *http2.PingFrame:
			if got.IsAck() && got.Data == ping {
				return
			}
		}
	}
}
