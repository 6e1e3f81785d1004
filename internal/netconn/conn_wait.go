package netconn

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// past is a deadline that has passed.
var past = time.Unix(1, 0)

// never is a deadline that does not come: somebody waits, but not for the clock.
const never = 1<<63 - 1

// nextDeadline returns the first moment after now at which somebody waits for c's clock, 0 for none.
func (c *Conn) nextDeadline(now int64) int64 {
	r, w := c.readBy.Load(), earlier(c.writeBy.Load(), c.aloneUntil())
	if r <= now || r == never {
		r = 0
	}
	if w <= now || w == never {
		w = 0
	}
	if r == 0 || w != 0 && w < r {
		return w
	}
	return r
}

// expired is the clock's call: a deadline of c may have come.
func (c *Conn) expired(now int64) {
	if r := c.readBy.Load(); r != 0 && r <= now {
		c.kick()
	}
	if passed(c.writeBy.Load(), now) || passed(c.aloneUntil(), now) {
		c.kickWrite()
	}
}

// kick makes the owner look around: a wait for input under way, or the next one, ends at once with a timeout, after
// which the waiting side reads every flag and deadline anew. Set the flag first, then kick. Any goroutine may call it.
func (c *Conn) kick() {
	c.unpark() // the mark below makes the goroutine look around, not just receive
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed && c.end != endLingering {
		c.nc.SetReadDeadline(past)
	}
}

// kickWrite is kick for a wait for the socket to take output.
func (c *Conn) kickWrite() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.nc.SetWriteDeadline(past)
	}
}

// isTimeout tells whether err came from a kick. A net.Conn of unknown kind may have an error of its own for that.
func isTimeout(err error) bool {
	if err == nil {
		return false
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}

// beginWait notes when the wait between runs of Data began, and for what: the rest of a message, or the next one.
func (c *Conn) beginWait() {
	now := c.eng.clock.time()
	if c.r < c.w {
		if c.begun == 0 {
			c.begun = now
		}
		return
	}
	c.begun = 0
	c.idleSince = now
	c.setState(idleState(State(c.state)))
}

// armWait tells the clock how long the wait may last.
func (c *Conn) armWait() {
	cfg := &c.eng.cfg
	if c.r < c.w {
		c.waitUntil(&c.readBy, after(c.begun, cfg.MessageTimeout))
		return
	}
	at := after(c.idleSince, cfg.IdleTimeout)
	if c.socket {
		at = earlier(at, c.nextPark(c.eng.clock.time()))
	}
	c.waitUntil(&c.readBy, at)
}

// idleState is the state of a connection that waits for a message: one that never sent a byte stays new.
func idleState(s State) State {
	if s == StateActive {
		return StateIdle
	}
	return s
}

// idleVerdict judges a wait between runs of Data that a kick ended: nil to wait on. look asks for one more receive
// before the connection ends with err: what has arrived already may be a last message, or, if writing has failed, the
// peer's reason for that.
func (c *Conn) idleVerdict() (look bool, err error) {
	now := c.eng.clock.time()
	if c.aborted.Load() {
		return false, ErrAbort
	}
	if err := c.WriteError(); err != nil {
		return true, err
	}
	switch {
	case c.r < c.w:
		if passed(after(c.begun, c.eng.cfg.MessageTimeout), now) {
			c.eng.stats.slow.Add(1)
			return false, ErrSlow
		}
	case c.Draining():
		return true, ErrShutdown
	default:
		if passed(after(c.idleSince, c.eng.cfg.IdleTimeout), now) {
			return false, ErrIdle
		}
	}
	return false, nil
}

// waitUntil stores the deadline of a wait, 0 for none, and sees to it that the clock knows.
func (c *Conn) waitUntil(field *atomic.Int64, at int64) {
	if at == 0 {
		field.Store(never)
		return
	}
	field.Store(at)
	c.eng.clock.arm(c, at)
}

// hasten has a wait for the socket that is under way end at at, if it would last longer. It is not disturbed before.
func (c *Conn) hasten(at int64) {
	for by := c.writeBy.Load(); by > at; by = c.writeBy.Load() {
		if c.writeBy.CompareAndSwap(by, at) {
			c.eng.clock.arm(c, at)
			return
		}
	}
	if c.aloneUntil() != 0 {
		c.eng.clock.arm(c, at)
	}
}

// after returns the moment d after at, 0 (never) if d is none.
func after(at int64, d time.Duration) int64 {
	if d == 0 {
		return 0
	}
	return at + int64(d)
}

// earlier returns the earlier of two moments of which 0 is never.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// passed tells whether the moment at, of which 0 is never, has come.
func passed(at, now int64) bool { return at != 0 && at <= now }

// SetReadDeadline bounds Fill and Read; the zero time is none. It ends with Data. Any goroutine may call it.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.userRead.Store(c.moment(t))
	if c.readBy.Load() != 0 {
		c.kick()
	}
	return nil
}

// SetWriteDeadline bounds every wait for the socket; the zero time is none. Any goroutine may call it.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	at := c.moment(t)
	c.userWrite.Store(at)
	switch {
	case at == 0:
	case passed(at, c.eng.clock.time()) && (c.writeBy.Load() != 0 || c.aloneUntil() != 0):
		c.kickWrite()
	default:
		c.hasten(at)
	}
	return nil
}

// moment returns t by the engine's clock.
func (c *Conn) moment(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return max(int64(t.Sub(c.eng.clock.base)), 1)
}

// nextPark returns when to try to park next, 0 for never: a parkAfter after the wait began, and again after every
// further one, so that a connection which cannot be parked now does not try at every tick.
func (c *Conn) nextPark(now int64) int64 {
	park := c.parkAfter()
	if park == 0 {
		return 0
	}
	return c.idleSince + (max(now-c.idleSince, 0)/park+1)*park
}
