package tcpmux

import "github.com/shockwave-go/shockwave/internal/core/netconn"

// keepalive watches a peer that has been silent for Config.Keepalive. s.mu guards it.
type keepalive struct {
	netconn.Pulse
	next   int64 // when to look again
	draws  int   // how often Lend was called since the peer was asked
	silent bool  // the peer has not answered in time: this side has ended the connection
}

// keepaliveDue returns when checkPeer is to be called, 0 for never; s.mu is held.
func (c *conn) keepaliveDue() int64 {
	silence := int64(c.s.cfg.Keepalive)
	switch {
	case silence == 0:
		return 0
	case c.alive != nil:
		return c.alive.next
	}
	return c.s.core.LastHeard() + silence
}

// checkPeer pings a peer that has been silent for Config.Keepalive, and reports whether it has answered in time; see
// netconn.Pulse. s.mu is held.
func (c *conn) checkPeer(now int64) (alive bool) {
	if due := c.keepaliveDue(); due == 0 || now < due {
		return true
	}
	if c.alive == nil {
		c.alive = new(keepalive)
	}
	k, silence := c.alive, int64(c.s.cfg.Keepalive)
	k.Heard(c.s.core.LastHeard())
	var state netconn.PulseState
	state, k.next = k.Check(&c.nc.Output, now, silence, silence)
	switch {
	case state == netconn.PulseSilent:
		k.silent = true
		return false
	case state == netconn.PulseAsk:
		k.draws = 0
		k.Asked(c.pingLeft)
		c.s.core.Ping(now)
	case !k.Waiting():
		c.alive = nil
	}
	return true
}

// pingLeft reports whether the PING has left the queue of the output: what Lend has appended has been sent when it is
// called again, or when there is nothing to send.
func (c *conn) pingLeft() bool {
	return !c.s.core.PingDue() && (c.alive.draws != 1 || !c.nc.Unsent())
}
