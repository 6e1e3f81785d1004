package netconn_test

import (
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Inside the latch only the lot can tell that the peer has left. If no descriptor is left for a lot, no read looks for the
// peer's end: the latch holds the descriptor's read lock, so that read and the wait for it would never end. What a
// tls.Conn reports inside the latch does not count as the peer's end.
func TestOnGoneWithoutALot(t *testing.T) {
	onSome(t, isLatched, func(t *testing.T, k kind) {
		var fired atomic.Int64
		step := make(chan struct{})
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			if line == "wish" {
				step <- struct{}{}
				<-step
				c.OnGone(func() { fired.Add(1) })
				step <- struct{}{}
				<-step
			}
			return echo(c, line)
		}))
		talk := r.dial()
		talk.Send("wish\n")
		within(t, "Data", step)
		restore := forbidDescriptors(t)
		step <- struct{}{}
		within(t, "OnGone to return", step)
		time.Sleep(millis(5)) // time in which it could read by mistake; if it is too short, the test only shows less
		restore()
		step <- struct{}{}
		talk.Want("wish\n")
		talk.Send("still here\n")
		talk.Want("still here\n")
		if n := fired.Load(); n != 0 {
			t.Errorf("OnGone fired %d times for a peer that is there", n)
		}
	})
}

// An OnGone that comes after Hijack, while the new owner waits for input through the lot, does not change what the lot is
// asked for.
func TestOnGoneAfterTakeOver(t *testing.T) {
	bothWays(t, func(t *testing.T, k kind, inside bool) {
		read := make(chan string, 1)
		owned, release := make(chan net.Conn, 1), make(chan struct{})
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, _ string) error {
			if c.Latched() != (inside && k.latched()) {
				return netconn.ErrUnlatch
			}
			nc, _, err := c.Hijack()
			if err != nil {
				return err
			}
			go func() {
				p := make([]byte, 5)
				_, err := io.ReadFull(nc, p)
				if err != nil {
					p = []byte(err.Error())
				}
				read <- string(p)
			}()
			if inside {
				netconn.WaitUntilBlocked(t, "select", "latchedconn.(*Conn).wait")
			}
			if stop := c.OnGone(func() { t.Error("OnGone fired") }).Stop; stop() {
				t.Error("stop says that it stopped a callback that had run")
			}
			owned <- nc
			<-release
			return nil
		}))
		talk := r.dial()
		talk.Send("take\n")
		nc := within(t, "the connection", owned)
		talk.Send("input")
		got := ""
		select {
		case got = <-read:
		case <-time.After(patience):
		}
		if got != "input" {
			t.Errorf("the new owner read %q", got)
		}
		close(release)
		_ = nc.Close()
	})
}
