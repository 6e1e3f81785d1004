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
	state, next := h.pulse.Beat(&c.link.Output, now, true, int64(h.Interval), int64(timeout))
	switch state {
	case netconn.PulseSilent:
		c.CountLaterLocked("conn_close_lost_ping")
		return 0, true
	case netconn.PulseAsk:
		h.pulse.Asked(&c.link.Output, &c.draws)
		c.wire.Ping(1)
	}
	return next, false
}
