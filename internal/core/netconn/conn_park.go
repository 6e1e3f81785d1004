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

// shouldParkNow reports whether the connection parks instead of waiting.
func (c *latchedLoop) shouldParkNow() bool {
	return c.frequency == usedRarely && c.cfg.IdlePark != 0 && c.in.Empty() && !c.work.goesOn() && !c.Draining()
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
	park := c.frequency.parkAfter(int64(c.cfg.IdlePark))
	if park == 0 || !c.in.Empty() || c.eng.clock.Now() < c.idleSince+park || !c.trimIdle() {
		return false
	}
	return c.enterLot()
}

// trimIdle reports whether no input and no output is pending and no goroutine waits. If so, it releases what a parked
// connection does not need.
func (c *latchedLoop) trimIdle() bool {
	c.tr.TrimInput()
	if c.tr.Buffered() || c.work.goesOn() {
		return false
	}
	return c.out.TrimIdle(func() {
		c.tr.Trim()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.trimLocked()
	})
}

// enterLot is the last step of parking. trimIdle has returned true.
func (c *latchedLoop) enterLot() bool {
	if p, ok := c.proto.(Parker); ok {
		p.Park()
	}
	c.releaseRunning()
	c.waitUntil(&c.readBy, clock.After(c.idleSince, c.cfg.IdleTimeout))
	c.eng.stats.parked.Add(1)
	c.ownership.Store(parked)
	// From here on a wake may take the connection out of the lot. Flags that were set before, and a deadline that has
	// passed before, are seen here.
	stays := !c.Draining() && !c.aborted() && !c.work.nudged.Load() && c.out.Err() == nil &&
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
	if !c.ownership.is(parked) || !c.claim() {
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
	x := c.extra.Load()
	if x == nil {
		return
	}
	if given := x.hijacked.Load(); given != nil {
		given.Wake()
	} else if what&lot.Gone != 0 {
		c.goneCalls().Make()
	}
}
