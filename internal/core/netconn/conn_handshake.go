package netconn

import (
	"net"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// handshake is a connection before and during its TLS handshake, and the listener that accepted it, if any. It is a
// deepstack.Task.
type handshake struct {
	c *Conn
	l net.Listener
}

// Do does the handshake and then starts serving the connection on a goroutine of its own, or ends it if the handshake fails, or
// if a callback of the tls.Config panics or calls runtime.Goexit.
func (h handshake) Do() {
	c, returned := h.c, false
	defer func() {
		if !returned {
			runner{c}.dataPanicked(recover())
		}
	}()
	c.attachRunning()
	err := h.handshake()
	returned = true
	if err != nil {
		runner{c}.finish(err)
		return
	}
	c.launch(accepted(h.l))
}

// handshake does the TLS handshake, within HandshakeTimeout.
func (h handshake) handshake() error {
	c := h.c
	c.mu.Lock()
	c.idleSince = c.eng.clock.Now()
	at := c.handshakeDeadlineLocked()
	c.waitUntil(&c.readBy, at)
	c.waitUntil(&c.writeBy, at)
	c.mu.Unlock()
	err := c.tr.Handshake()
	c.mu.Lock()
	c.handshaking = false
	c.readBy.Store(0)
	c.writeBy.Store(0)
	c.mu.Unlock()
	if err != nil && c.cfg.OnHandshakeError != nil {
		c.cfg.OnHandshakeError(c.tr.Cleartext(), err)
	}
	return err
}

// handshakeDeadlineLocked returns when the handshake fails. During Shutdown it has no more time than a first message.
func (c *Conn) handshakeDeadlineLocked() clock.Moment {
	at := clock.After(c.idleSince, c.cfg.HandshakeTimeout)
	if c.Draining() {
		at = clock.Earlier(at, c.firstMessageDeadline())
	}
	return at
}

// drainHandshake gives a handshake what is left of FirstGrace. It reports false without a handshake or a grace.
func (c *Conn) drainHandshake() bool {
	if c.cfg.FirstGrace == 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handshaking && c.readBy.Load() != 0 { // else handshake sets the deadline
		at := c.handshakeDeadlineLocked()
		c.waitUntil(&c.readBy, at)
		c.waitUntil(&c.writeBy, at)
	}
	return c.handshaking
}
