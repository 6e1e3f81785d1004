package netconn

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// A unit has failed if its peer is found to be too slow when the rest of the unit would be left to the lot.
func TestPostTellsOfSlowPeers(t *testing.T) {
	const much = 16 << 20 // more than the kernel takes
	for name, post := range map[string]func(c *Pulled, p []byte) (bool, error){
		"Post": func(c *Pulled, p []byte) (bool, error) { return c.Post(Whole, p) },
		"PostTwo": func(c *Pulled, p []byte) (bool, error) {
			ok, touched, err := c.PostTwo(Whole, nil, p)
			if !touched {
				t.Error("PostTwo sent nothing")
			}
			return ok, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := pulledSocketWith(t, Config{MinWriteRate: 1 << 30})
			c.SetWriteBuffer(2 * much)
			s, rates := c.ensureStall(), &c.eng.rates
			s.Add(0, int64(rates.Grace), 0)
			s.TooSlow(rates, &c.tr)              // begins a span
			s.Add(0, int64(1000*rates.Grace), 0) // in which the peer takes less than it should
			if ok, err := post(c, make([]byte, much)); ok || err != ErrSlow || c.WriteError() != ErrSlow {
				t.Errorf("%v, %v, and then writing fails with %v", ok, err, c.WriteError())
			}
		})
	}
}

// A write deadline takes effect even if it is set just when the rest of a unit is about to be left to the lot, when there
// is nothing yet to resume.
func TestDeadlineBeforeLeft(t *testing.T) {
	const much = 16 << 20 // more than the kernel takes
	clk := clock.NewManual()
	c, _ := pulledSocketWith(t, Config{Clock: clk, WriteTimeout: time.Hour, MinWriteRate: -1})
	b := &barrier{reached: make(chan struct{}), opens: make(chan struct{})}
	go clk.Arm(b, int64(time.Hour))
	<-b.reached
	posted := make(chan error)
	go func() {
		_, err := c.Post(Whole, make([]byte, much))
		posted <- err
	}()
	for !WriterWaits(&c.Link) { // and does not get further, because it arms the clock next
		time.Sleep(time.Millisecond)
	}
	c.SetWriteDeadline(time.Unix(1, 0))
	close(b.opens)
	if err := <-posted; err != nil {
		t.Fatal(err)
	}
	if clk.Advance(clock.Tick); c.WriteError() != ErrSlow {
		t.Errorf("writing fails with %v after the deadline", c.WriteError())
	}
}

// barrier is a holder of a deadline. A goroutine that arms it waits with the clock's lock until opens is closed.
type barrier struct {
	at             clock.Deadline
	calls          int
	reached, opens chan struct{}
}

func (b *barrier) Deadline() *clock.Deadline {
	if b.calls++; b.calls == 2 { // the first call is outside the lock
		close(b.reached)
		<-b.opens
	}
	return &b.at
}

func (b *barrier) Expired(clock.Moment) clock.Moment { return 0 }
