package netconn

import (
	"errors"

	"github.com/shockwave-go/shockwave/internal/sys"
)

// habit is how often a connection is used: waking from the lot costs more than waking a goroutine, so what a connection
// did last decides how long it keeps one.
type habit uint8

const (
	unheard  habit = iota // it has sent nothing yet
	fresh                 // its first message is its only one
	frequent              // the last message came within IdlePark of the one before
	rare                  // it came later: the next will, too
)

// quickPark is the share of IdlePark after which a connection parks of whose habit nothing is known.
const quickPark = 200

// parkAfter returns how long the connection waits with its goroutine, 0 for ever.
func (c *Conn) parkAfter() int64 {
	park := int64(c.eng.cfg.IdlePark)
	if park == 0 || c.habit == frequent {
		return park
	}
	return max(park/quickPark, 1)
}

// noteHabit is called when a message begins.
func (c *Conn) noteHabit() {
	switch {
	case c.habit == unheard:
		c.habit = fresh
	case c.eng.clock.time() < c.idleSince+int64(c.eng.cfg.IdlePark):
		c.habit = frequent
	default:
		c.habit = rare
	}
}

// errParkNow is the verdict of turn on a connection that is rarely used: it need not wait for the clock to be parked.
var errParkNow = errors.New("netconn: to be parked")

// parksNow tells whether the connection is to be parked instead of waiting.
func (c *Conn) parksNow() bool {
	return c.habit == rare && c.eng.cfg.IdlePark != 0 && c.r == c.w && !c.Draining()
}

// parkNow parks a connection that is rarely used, if it can be; else it waits as a fresh one does.
func (c *Conn) parkNow() bool {
	c.releaseShim()
	if c.quiet() && c.leave() {
		return true
	}
	c.habit = fresh
	return false
}

// park gives an idle connection to the lot. It reports whether the caller's goroutine is to end, because the
// connection is not its any more.
func (c *Conn) park() bool {
	park := c.parkAfter()
	if park == 0 || c.r < c.w || c.eng.clock.time() < c.idleSince+park || !c.quiet() {
		return false
	}
	return c.leave()
}

// leave is park's last step, for a connection that is quiet.
func (c *Conn) leave() bool {
	c.releaseRunning()
	c.waitUntil(&c.readBy, after(c.idleSince, c.eng.cfg.IdleTimeout))
	c.eng.stats.parked.Add(1)
	c.parked.Store(true)
	// From here on a kick may take the connection out again. Whoever set a flag before finds it parked; whoever sets
	// one later is seen here.
	if (c.Draining() || c.aborted.Load() || !c.askLot(sys.IN)) && c.claim() {
		c.running = runnings.Get().(*running)
		return false
	}
	return true
}

// quiet tells whether nothing is on its way in or out, and gives back what a parked connection does not need.
func (c *Conn) quiet() bool {
	if c.shim != nil && (c.shim.r < c.shim.w || c.shim.waiting() > 0) {
		return false
	}
	c.lock()
	defer c.unlock()
	if c.sending || len(c.out) > 0 || c.err != nil {
		return false
	}
	c.sender, c.room = nil, nil
	return true
}

// claim takes a parked connection out of the lot; true makes the caller its owner.
func (c *Conn) claim() bool {
	if !c.parked.CompareAndSwap(true, false) {
		return false
	}
	c.eng.stats.parked.Add(-1)
	return true
}

// unpark starts the goroutine of a parked connection; it reports false if c was not parked.
func (c *Conn) unpark() bool {
	if !c.parked.Load() || !c.claim() {
		return false
	}
	c.resume()
	return true
}
