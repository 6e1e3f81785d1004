package streams_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/websocket"
)

// A WebSocket on a stream that ends without a close frame reports 1006, whatever has ended it.
func TestAbnormalEnds(t *testing.T) {
	ends := map[string]struct {
		end   func(s *h2Stream, nc net.Conn)
		cause error // nil: any
	}{
		"END_STREAM":          {func(s *h2Stream, _ net.Conn) { s.f.WriteData(1, true, nil) }, io.ErrUnexpectedEOF},
		"RST_STREAM, CANCEL":  {func(s *h2Stream, _ net.Conn) { s.f.WriteRSTStream(1, http2.ErrCodeCancel) }, nil},
		"RST_STREAM, error":   {func(s *h2Stream, _ net.Conn) { s.f.WriteRSTStream(1, http2.ErrCodeInternal) }, nil},
		"the connection ends": {func(_ *h2Stream, nc net.Conn) { nc.Close() }, nil},
		"it is reset":         {func(_ *h2Stream, nc net.Conn) { nc.(*net.TCPConn).SetLinger(0); nc.Close() }, nil},
		"it breaks a rule":    {func(s *h2Stream, _ net.Conn) { s.f.WriteRawFrame(http2.FrameData, 0, 0, []byte("x")) }, nil},
	}
	for name, tc := range ends {
		for _, begun := range []string{"", "a"} {
			for _, callbacks := range []bool{false, true} {
				told := make(chan error, 1)
				cfg := websocket.Config{}
				if callbacks {
					cfg.OnMessage = func(*websocket.Conn, websocket.MessageType, []byte) {}
					cfg.OnClose = func(_ *websocket.Conn, err error) { told <- err }
				}
				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				served := make(chan error, 1)
				go func() {
					served <- nethttp.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						c, err := websocket.Accept(w, r, cfg)
						if err != nil {
							t.Error(err)
						} else if !callbacks {
							_, _, err = c.ReadMessage()
							told <- err
						}
					}))
				}()
				s, nc, got := h2Dial(t, l.Addr().String(), ":method", "CONNECT", ":protocol", "websocket", ":scheme", "http",
					":authority", "h", ":path", "/ws", "sec-websocket-version", "13")
				if got[":status"] != "200" {
					t.Fatalf("got the response %v", got)
				}
				if begun != "" {
					s.f.WriteData(1, false, masked(0x81, begun)[:6]) // the rest does not come
				}
				tc.end(s, nc)
				select {
				case err = <-told:
				case <-time.After(time.Minute):
					t.Fatalf("%s: the end is not told", name)
				}
				if !websocket.IsCloseError(err, websocket.CloseAbnormal) || tc.cause != nil && !errors.Is(err, tc.cause) {
					t.Errorf("%s, %q has come, callbacks %v: told as %v", name, begun, callbacks, err)
				}
				nc.Close()
				l.Close()
				<-served
			}
		}
	}
}
