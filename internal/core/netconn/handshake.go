package netconn

import (
	"net"
	"runtime"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// handshakers run TLS handshakes on reused goroutines, which keep their grown stacks. Growing a stack for each
// connection, and shrinking it again in the garbage collector, took 3 % of the instructions of a handshake.
type handshakers struct {
	next chan handshakeConn // unbuffered: received by an idle handshaker

	mu   sync.Mutex
	stop chan struct{} // closed and replaced by stopIdle; guarded by mu
}

// handshakeConn is a connection before and during its handshake, and the listener that accepted it, if any.
type handshakeConn struct {
	c *Conn
	l net.Listener
}

const (
	// handshakerWait is how long a handshaker waits for another connection before it ends.
	handshakerWait = time.Second
	// handshakerStack is how much of its stack a handshaker keeps in use. It is more than a quarter of the 32 KiB that
	// a handshake needs: the garbage collector halves stacks of which less is used.
	handshakerStack = 9 << 10
)

func (h *handshakers) init() { h.next, h.stop = make(chan handshakeConn), make(chan struct{}) }

// handle does the handshake of n on a handshaker's goroutine; n is then served on a goroutine of its own.
func (h *handshakers) handle(n handshakeConn) {
	select {
	case h.next <- n:
	default:
		h.mu.Lock()
		over := h.stop
		h.mu.Unlock()
		go h.run(n, over)
	}
}

// run does the handshake of n and then those of other connections, until none comes for handshakerWait.
func (h *handshakers) run(n handshakeConn, over <-chan struct{}) {
	var deep [handshakerStack]byte
	defer runtime.KeepAlive(&deep)
	timer := time.NewTimer(handshakerWait)
	defer timer.Stop()
	for {
		n.handshakeAndServe()
		n = handshakeConn{} // an idle handshaker must not keep the last connection alive
		timer.Reset(handshakerWait)
		select {
		case n = <-h.next:
		case <-timer.C:
			return
		case <-over:
			return
		}
	}
}

// stopIdle ends idle handshakers, and busy ones after their handshake: no more connections are expected.
func (h *handshakers) stopIdle() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.stop)
	h.stop = make(chan struct{})
}

// handshakeAndServe does the handshake and then starts serving n, or ends it if the handshake fails, or if a callback
// of the tls.Config panics or calls runtime.Goexit.
func (n handshakeConn) handshakeAndServe() {
	c, returned := n.c, false
	defer func() {
		if !returned {
			c.dataPanicked(recover())
		}
	}()
	c.attachRunning()
	err := n.handshake()
	returned = true
	if err != nil {
		c.finish(err)
		return
	}
	c.launch(accepted(n.l))
}

// handshake does the TLS handshake, within HandshakeTimeout.
func (n handshakeConn) handshake() error {
	c := n.c
	c.mu.Lock()
	c.idleSince = c.eng.clock.Now()
	at := c.handshakeDeadline()
	c.waitUntil(&c.readBy, at)
	c.waitUntil(&c.writeBy, at)
	c.mu.Unlock()
	err := c.tr.Handshake()
	c.mu.Lock()
	c.handshaking = false
	c.readBy.Store(0)
	c.writeBy.Store(0)
	c.mu.Unlock()
	if err != nil && c.eng.cfg.OnHandshakeError != nil {
		c.eng.cfg.OnHandshakeError(c.tr.Cleartext(), err)
	}
	return err
}

// handshakeDeadline returns when the handshake fails. During Shutdown it has no more time than a first message. The
// caller must hold c.mu.
func (c *Conn) handshakeDeadline() clock.Moment {
	at := clock.After(c.idleSince, c.eng.cfg.HandshakeTimeout)
	if c.Draining() {
		at = clock.Earlier(at, c.firstMessageDeadline())
	}
	return at
}

// drainHandshake gives a handshake what is left of FirstGrace. It reports false without a handshake or a grace.
func (c *Conn) drainHandshake() bool {
	if c.eng.cfg.FirstGrace == 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handshaking && c.readBy.Load() != 0 { // else handshake sets the deadline
		at := c.handshakeDeadline()
		c.waitUntil(&c.readBy, at)
		c.waitUntil(&c.writeBy, at)
	}
	return c.handshaking
}
