package h2conn

import "time"

// Health finds out whether a silent peer is still alive: it sends a PING, and takes anything that arrives as an answer.
// The connection's lock guards it.
type Health struct {
	After   time.Duration // silence after which a PING is sent; 0 is never
	Timeout time.Duration // how long the answer may take; default 15 s

	lastHeard int64 // when something was last received
	pingSent  int64 // when the unanswered PING was sent; 0 if there is none
}

// Heard records that something was received.
func (h *Health) Heard(now int64) { h.lastHeard, h.pingSent = now, 0 }

// Due is the part of Watcher.Due that checks the peer: it sends a PING on c after a silence of After, and returns when to
// be called again, 0 for never. silent reports that the peer has not answered in time. The caller must hold the lock.
func (h *Health) Due(c *Conn, now int64) (next int64, silent bool) {
	if h.After <= 0 {
		return 0, false
	}
	timeout := h.Timeout
	if timeout <= 0 {
		timeout = 15 * time.Second
	}
	silence, wait := time.Duration(now-h.lastHeard), time.Duration(now-h.pingSent)
	switch {
	case h.pingSent != 0 && wait >= timeout:
		c.CountLater("conn_close_lost_ping")
		return 0, true
	case h.pingSent != 0:
		return h.pingSent + int64(timeout), false
	case silence < h.After:
		return h.lastHeard + int64(h.After), false
	}
	c.wire.Ping(1)
	h.pingSent = now
	return now + int64(timeout), false
}
