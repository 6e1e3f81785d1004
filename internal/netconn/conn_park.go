package netconn

import "github.com/shockwave-go/shockwave/internal/sys"

// quickPark is the share of IdlePark after which a connection parks that is not known to be frequent.
const quickPark = 200

// parkAfter returns how long the connection waits with its goroutine, 0 for ever. Waking from the lot costs more than
// waking a goroutine, so one whose last message came within IdlePark gets all of that. One that was idle for longer, or
// of which nothing is known, will probably be idle for long again.
func (c *Conn) parkAfter() int64 {
	park := int64(c.eng.cfg.IdlePark)
	if park == 0 || c.frequent {
		return park
	}
	return max(park/quickPark, 1)
}

// noteHabit is called when a message begins.
func (c *Conn) noteHabit() {
	c.frequent = c.spoke && c.eng.clock.time() < c.idleSince+int64(c.eng.cfg.IdlePark)
	c.spoke = true
}

// park gives an idle connection to the lot. It reports whether the caller's goroutine is to end, because the
// connection is not its any more.
func (c *Conn) park() bool {
	park := c.parkAfter()
	if park == 0 || c.r < c.w || c.eng.clock.time() < c.idleSince+park || !c.quiet() {
		return false
	}
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
	if c.shim != nil && c.shim.r < c.shim.w {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sending || len(c.out) > 0 {
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
