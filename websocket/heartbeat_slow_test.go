package websocket

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// A peer that takes a long message is not silent.
func TestHeartbeatOfASlowReader(t *testing.T) {
	const interval, size = 4 * time.Second, 8 << 20
	for _, f := range faces[:2] {
		t.Run(f.name, func(t *testing.T) {
			g, clk := new(Group), clock.NewManual()
			engine := g.config()
			engine.Clock, engine.MinWriteRate = clk, -1 // time passes fast here
			g.engine = netconn.New(engine)
			cfg := Config{Group: g, PingInterval: interval}
			if f.callbacks {
				cfg.OnMessage = func(*Conn, MessageType, []byte) {}
			}
			near, far := f.pair(t)
			defer far.Close()
			_ = far.(*net.TCPConn).SetReadBuffer(32 << 10)
			c, err := cfg.settings().open(&opened{role: wsframe.Server, nc: near}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !f.callbacks {
				go c.ReadMessage()
				wiretest.Eventually(t, "a reader", c.recv.isRead)
			}
			go c.WriteMessage(BinaryMessage, make([]byte, size))
			for left := size; left > 0; {
				before := c.send.link.Progress().Taken
				wiretest.Eventually(t, "the peer's reading to show", func() bool {
					n, err := io.CopyN(io.Discard, far, int64(min(left, 256<<10)))
					if left -= int(n); err != nil {
						t.Fatalf("%d bytes are missing: got %v, %v", left, err, c.Err())
					}
					return left == 0 || c.send.link.Progress().Taken > before
				})
				clk.Advance(interval * 2 / 3)
			}
			if err := c.Err(); err != nil {
				t.Errorf("a peer that reads is cut off: %v", err)
			}
			wiretest.Eventually(t, "the end of a peer that is silent", func() bool {
				clk.Advance(interval / 4)
				return c.Err() == ErrSilent
			})
		})
	}
}
