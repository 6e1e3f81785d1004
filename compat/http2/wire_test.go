package http2

import (
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/compat/internal/both"
	"github.com/shockwave-go/shockwave/internal/testsupport/h2talk"
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
		k := h2talk.New(t, c)
		k.Text = func(f http2.Frame) string { // the stream must not be reset
			if typ := f.Header().Type; typ == http2.FrameRSTStream || typ == http2.FramePing {
				return h2talk.Describe(f)
			}
			return ""
		}
		k.Framer.WriteSettings()
		k.Framer.WriteSettingsAck()
		k.Headers(1, false, ":method", "POST", ":scheme", "http", ":authority", "x", ":path", "/", "content-length", "5")
		k.Framer.WriteData(1, false, []byte("hello"))
		// The response may come now. Two pings later it would have been followed by whatever follows it.
		for range 2 {
			handled()
			k.WantIdle()
		}
		k.Framer.WriteData(1, true, nil)
		handled()
		k.WantIdle()
	}, both.HTTP2, both.Native(asNative))
}

// handled waits for a handler to come to its end: too short would let a fault pass, never make one.
func handled() { time.Sleep(50 * time.Millisecond) }
