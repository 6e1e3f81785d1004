package netconn

import (
	"errors"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/lot"
)

// errParked is returned by a serve loop when the connection has parked: the goroutine ends, the connection does not.
var errParked = errors.New("netconn: parked")

// errParkNow is the result of cycle for a rarely used connection, which parks without waiting for the clock.
var errParkNow = errors.New("netconn: to be parked")

// useFrequency says how often a connection is used. Waking it from the lot costs more than waking a goroutine, so its
// last use decides how long it keeps its goroutine.
type useFrequency uint8

const (
	neverUsed  useFrequency = iota // no message yet
	usedOnce                       // one message so far
	usedOften                      // the last message came within IdlePark of the one before
	usedRarely                     // it came later; the next is expected to, as well
)

// quickParkShare is the share of IdlePark after which a connection parks if it is not known to be used often.
const quickParkShare = 200

// noteMessage updates h for a message that arrived after the connection was idle for the time idle; park is IdlePark.
// Input that comes while work goes on belongs to the message that has begun the work.
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

// parkAfter returns how long an idle connection keeps its goroutine, 0 for ever.
func (h useFrequency) parkAfter(park int64) int64 {
	if park == 0 || h == usedOften {
		return park
	}
	return max(park/quickParkShare, 1)
}

// nextPark returns when to try to park next, 0 for never: parkAfter after the wait began, and then each time after the
// same interval, so that a connection which cannot park does not try at every tick.
func (h useFrequency) nextPark(now, idleSince clock.Moment, park int64) clock.Moment {
	if park = h.parkAfter(park); park == 0 {
		return 0
	}
	at := idleSince + park
	if at <= now {
		at += (now-at)/park*park + park
	}
	return at
}

// shouldParkNow reports whether the connection parks instead of waiting.
func (c *latchedLoop) shouldParkNow() bool {
	return c.frequency == usedRarely && c.eng.cfg.IdlePark != 0 && c.r == c.w && c.work.Load() == 0 && !c.Draining()
}

// parkNow parks a rarely used connection if possible. If not, the connection waits as one does that was used once.
func (c *latchedLoop) parkNow() bool {
	if c.trimIdle() && c.enterLot() {
		return true
	}
	c.frequency = usedOnce
	return false
}

// park parks an idle connection. It returns true if the caller's goroutine must end because it no longer owns the
// connection.
func (c *latchedLoop) park() bool {
	park := c.frequency.parkAfter(int64(c.eng.cfg.IdlePark))
	if park == 0 || c.r < c.w || c.eng.clock.Now() < c.idleSince+park || !c.trimIdle() {
		return false
	}
	return c.enterLot()
}

// trimIdle reports whether no input and no output is pending and no goroutine waits. If so, it releases what a parked
// connection does not need.
func (c *latchedLoop) trimIdle() bool {
	c.tr.TrimInput()
	if c.tr.Buffered() || c.work.Load() > 0 {
		return false
	}
	return c.out.TrimIdle(func() {
		c.tr.Trim()
		c.mu.Lock() // the lot may still be asked for room that is no longer needed
		defer c.mu.Unlock()
		c.stall = nil
		c.forget(lot.Room)
	})
}

// enterLot is the last step of parking. trimIdle has returned true.
func (c *latchedLoop) enterLot() bool {
	if p, ok := c.proto.(Parker); ok {
		p.Park()
	}
	c.releaseRunning()
	c.waitUntil(&c.readBy, clock.After(c.idleSince, c.eng.cfg.IdleTimeout))
	c.eng.stats.parked.Add(1)
	c.ownership.Store(parked)
	// From here on a wake may take the connection out of the lot. Flags that were set before, and a deadline that has
	// passed before, are seen here.
	stays := !c.Draining() && !c.aborted() && !c.nudged.Load() && c.out.Err() == nil &&
		!clock.Passed(c.readBy.Load(), c.eng.clock.Now()) && c.ask(lot.Input|lot.Gone)
	if !stays && c.claim() {
		c.attachRunning()
		return false
	}
	c.eng.left()
	return true
}

// claim takes a parked connection out of the lot. If it returns true, the caller is the owner.
func (c *Conn) claim() bool {
	if !c.ownership.CompareAndSwap(parked, owned) {
		return false
	}
	c.eng.stats.parked.Add(-1)
	return true
}

// unpark starts the goroutine of a parked connection. It returns false if c was not parked.
func (c *Conn) unpark() bool {
	if c.ownership.Load() != parked || !c.claim() {
		return false
	}
	c.launch(nil)
	return true
}

// lotEvent implements reader.
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
