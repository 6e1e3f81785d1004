package h2conn

import "time"

// Health finds out whether a silent peer is still there: it is sent a PING, and whatever it says is an answer. The lock of
// the connection guards it.
type Health struct {
	After   time.Duration // without a byte of the peer's until it is asked; default never
	Timeout time.Duration // for an answer; default 15 s

	heard int64 // when something came last
	asked int64 // when the peer was asked; 0 if no answer is awaited
}

// Heard says that something has come.
func (h *Health) Heard(now int64) { h.heard, h.asked = now, 0 }

// Due is for Watcher's: it asks the peer of c when it has said nothing for After, and returns when to be called again, 0
// for never. silent: the time for an answer is over. The lock is held.
func (h *Health) Due(c *Conn, now int64) (next int64, silent bool) {
	if h.After <= 0 {
		return 0, false
	}
	timeout := h.Timeout
	if timeout <= 0 {
		timeout = 15 * time.Second
	}
	silence, wait := time.Duration(now-h.heard), time.Duration(now-h.asked)
	switch {
	case h.asked != 0 && wait >= timeout:
		c.Note("conn_close_lost_ping")
		return 0, true
	case h.asked != 0:
		return h.asked + int64(timeout), false
	case silence < h.After:
		return h.heard + int64(h.After), false
	}
	c.wire.Ping(1)
	h.asked = now
	return now + int64(timeout), false
}
