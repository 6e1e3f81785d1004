package netconn_test

import (
	"net"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// undisturbed is a connection on which deadlines have no effect. It reports when a Read begins.
type undisturbed struct {
	net.Conn
	reading chan struct{}
}

func (c undisturbed) Read(p []byte) (int, error) {
	c.reading <- struct{}{}
	return c.Conn.Read(p)
}

func (undisturbed) SetDeadline(time.Time) error      { return nil }
func (undisturbed) SetReadDeadline(time.Time) error  { return nil }
func (undisturbed) SetWriteDeadline(time.Time) error { return nil }

// If the read of a watch cannot be interrupted otherwise, it ends with the connection, when its time is over and when it
// is stopped.
func TestWatchEndsWithoutDeadlines(t *testing.T) {
	t.Parallel()
	clk := clock.NewManual()
	e := netconn.New(brief(netconn.Config{Clock: clk}))
	t.Cleanup(func() { _ = e.Close() })
	for _, stops := range []bool{false, true} {
		near, wire := connection(t, kind{network: "tcp"})
		reading := make(chan struct{}, 9)
		c, err := e.Pull(undisturbed{near, reading}, nil, nobody{})
		if err != nil {
			t.Fatal(err)
		}
		f, told := tell()
		stop := c.Watch(time.Minute, f)
		within(t, "the read to begin", reading)
		if stops {
			stopped := make(chan bool, 1)
			go func() { stopped <- stop() }()
			if !within(t, "the watch to stop", stopped) {
				t.Error("f was called, but only stop ended the watch")
			}
		} else {
			clk.Advance(time.Minute + clock.Tick)
			within(t, "f to be called", told)
		}
		if _, err := c.Fill(); err != netconn.ErrAbort {
			t.Errorf("stopped %v: the connection lives: %v", stops, err)
		}
		c.Finish(netconn.ErrAbort)
		_ = wire.Close()
	}
}
