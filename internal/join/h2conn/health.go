package h2conn

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Health finds out whether a silent peer is still alive: it sends a PING, and takes anything that arrives as an answer.
// See netconn.Pulse. The connection's lock guards it.
type Health struct {
	Interval time.Duration // silence after which a PING is sent; 0 is never
	Timeout  time.Duration // how long the answer may take; default 15 s

	pulse netconn.Pulse
	draws uint32 // Conn.draws when the PING was queued
}

// HeardLocked records that something was received.
func (h *Health) HeardLocked(now int64) { h.pulse.Heard(now) }

// DueLocked is the part of Watcher.DueLocked that checks the peer: it sends a PING on c after a silence of Interval, and
// returns when to be called again, 0 for never. silent reports that the peer has not answered in time.
func (h *Health) DueLocked(c *Conn, now int64) (next int64, silent bool) {
	if h.Interval <= 0 {
		return 0, false
	}
	timeout := h.Timeout
	if timeout <= 0 {
		timeout = 15 * time.Second
	}
	state, next := h.pulse.Check(&c.link.Output, now, int64(h.Interval), int64(timeout))
	switch state {
	case netconn.PulseSilent:
		c.CountLaterLocked("conn_close_lost_ping")
		return 0, true
	case netconn.PulseAsk:
		h.draws = c.draws
		h.pulse.Asked(func() bool { return h.left(c) })
		c.wire.Ping(1)
	}
	return next, false
}

// left reports whether the PING has left the queue of the output: what AppendOutput has appended has been sent when it is
// called again, or when there is nothing to send.
func (h *Health) left(c *Conn) bool {
	drawn := c.draws - h.draws
	return drawn > 1 || drawn > 0 && !c.link.Unsent()
}
