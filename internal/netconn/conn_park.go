package netconn

import (
	"errors"

	"github.com/shockwave-go/shockwave/internal/clock"
	"github.com/shockwave-go/shockwave/internal/lot"
)

// errParked is what a serve loop returns when the connection went to the lot: its goroutine ends, it does not.
var errParked = errors.New("netconn: parked")

// errParkNow is the verdict of cycle on a connection that is rarely used: it need not wait for the clock to be parked.
var errParkNow = errors.New("netconn: to be parked")

// habit is how often a connection is used: waking from the lot costs more than waking a goroutine, so what a connection
// did last decides how long it keeps one.
type useFrequency uint8

const (
	neverUsed  useFrequency = iota // it has sent nothing yet
	usedOnce                       // its first message is its only one
	usedOften                      // the last message came within IdlePark of the one before
	usedRarely                     // it came later: the next will, too
)

// quickPark is the share of IdlePark after which a connection parks of whose habit nothing is known.
const quickParkShare = 200

// note is told that a message has come, idle after the one before, to a connection that parks after park. What comes while
// work goes on belongs to the message that has begun it.
func (h *useFrequency) noteMessage(idle, park int64) {
	switch {
	case *h == neverUsed:
		*h = usedOnce
	case idle < park:
		*h = usedOften
	default:
		*h = usedRarely
	}
}

// parkAfter returns how long the connection waits with its goroutine, 0 for ever.
func (h useFrequency) parkAfter(park int64) int64 {
	if park == 0 || h == usedOften {
		return park
	}
	return max(park/quickParkShare, 1)
}

// nextPark returns when to try to park next, 0 for never: a parkAfter after the wait began, and again after every
// further one, so that a connection which cannot be parked now does not try at every tick.
func (h useFrequency) nextPark(now, idleSince clock.Moment, park int64) clock.Moment {
	if park = h.parkAfter(park); park == 0 {
		return 0
	}
	return idleSince + (max(now-idleSince, 0)/park+1)*park
}

// parksNow reports whether the connection is to be parked instead of waiting.
func (c *latchedLoop) shouldParkNow() bool {
	return c.frequency == usedRarely && c.eng.cfg.IdlePark != 0 && c.r == c.w && c.work.Load() == 0 && !c.Draining()
}

// parkNow parks a connection that is rarely used, if it can be; else it waits as a fresh one does.
func (c *latchedLoop) parkNow() bool {
	if c.trimIdle() && c.enterLot() {
		return true
	}
	c.frequency = usedOnce
	return false
}

// park gives an idle connection to the lot. It reports whether the caller's goroutine is to end, because the
// connection is not its any more.
func (c *latchedLoop) park() bool {
	park := c.frequency.parkAfter(int64(c.eng.cfg.IdlePark))
	if park == 0 || c.r < c.w || c.eng.clock.Now() < c.idleSince+park || !c.trimIdle() {
		return false
	}
	return c.enterLot()
}

// quiet reports whether nothing is on its way in or out and nobody waits, and gives back what a parked connection does not
// need.
func (c *latchedLoop) trimIdle() bool {
	c.tr.TrimInput()
	if c.tr.Buffered() || c.work.Load() > 0 {
		return false
	}
	return c.out.TrimIdle(func() {
		c.tr.Trim()
		c.mu.Lock() // the lot may still be asked for room that is not needed any more
		defer c.mu.Unlock()
		c.stall = nil
		c.asked &^= lot.Room
	})
}

// leave is park's last step, for a connection that is quiet.
func (c *latchedLoop) enterLot() bool {
	if p, ok := c.proto.(Parker); ok {
		p.Park()
	}
	c.releaseRunning()
	c.waitUntil(&c.readBy, clock.After(c.idleSince, c.eng.cfg.IdleTimeout))
	c.eng.stats.parked.Add(1)
	c.ownership.Store(parked)
	// From here on a wake may take the connection out again. A flag that was set before, and a deadline that has passed, is
	// seen here.
	stays := !c.Draining() && !c.aborted() && !c.nudged.Load() && c.out.Err() == nil &&
		!clock.Passed(c.readBy.Load(), c.eng.clock.Now()) && c.ask(lot.Input|lot.Gone)
	if !stays && c.claim() {
		c.attachRunning()
		return false
	}
	return true
}

// claim takes a parked connection out of the lot; true makes the caller its owner.
func (c *Conn) claim() bool {
	if !c.ownership.CompareAndSwap(parked, owned) {
		return false
	}
	c.eng.stats.parked.Add(-1)
	return true
}

// unpark starts the goroutine of a parked connection; it reports false if c was not parked.
func (c *Conn) unpark() bool {
	if c.ownership.Load() != parked || !c.claim() {
		return false
	}
	c.launch(nil)
	return true
}

// happened implements reader.
func (c *Conn) lotEvent(what lot.Event) {
	if c.unpark() {
		return
	}
	w := c.extra.Load()
	if w == nil {
		return
	}
	if given := w.hijacked.Load(); given != nil {
		given.wake()
	} else if what&lot.Gone != 0 {
		c.peerGone()
	}
}
