package netconn

import (
	"net"
	"runtime"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/clock"
)

// handshakers run TLS handshakes on goroutines that are used again and keep their deep stacks. Growing a stack for each
// connection, and the garbage collector's shrinking it afterwards, took 3 % of the instructions of a handshake.
type handshakers struct {
	next chan handshakeConn // unbuffered: whoever waits takes it

	mu   sync.Mutex
	stop chan struct{} // closed by dismiss, and made anew; under mu
}

// newcomer is a connection that has not begun to serve, and the listener it came from, if any.
type handshakeConn struct {
	c *Conn
	l net.Listener
}

const (
	// handshakerWait is how long a handshaker waits for the next newcomer before it ends.
	handshakerWait = time.Second
	// handshakerDeep is how much of its stack a handshaker occupies: more than a quarter of the 32 KiB that a handshake
	// needs, because the collector halves stacks of which less is used.
	handshakerStack = 9 << 10
)

func (h *handshakers) init() { h.next, h.stop = make(chan handshakeConn), make(chan struct{}) }

// shake has n shake hands on some goroutine and then serve on one of its own.
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

// run shakes hands with n and then with others, until none comes.
func (h *handshakers) run(n handshakeConn, over <-chan struct{}) {
	var deep [handshakerStack]byte
	defer runtime.KeepAlive(&deep)
	timer := time.NewTimer(handshakerWait)
	defer timer.Stop()
	for {
		n.handshakeAndServe()
		n = handshakeConn{} // who waits must not keep the last one
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

// dismiss ends those who wait, and the others after their handshakes: no further connection is expected.
func (h *handshakers) stopIdle() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.stop)
	h.stop = make(chan struct{})
}

// shakeHands does the handshake and has n serve, or ends it. If a callback of the tls.Config panics or calls
// runtime.Goexit, that ends it, too.
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

// handshake is the TLS handshake, as long as the peer may take for it.
func (n handshakeConn) handshake() error {
	c := n.c
	at := clock.After(c.eng.clock.Now(), c.eng.cfg.HandshakeTimeout)
	c.waitUntil(&c.readBy, at)
	c.waitUntil(&c.writeBy, at)
	err := c.tr.Handshake()
	c.readBy.Store(0)
	c.writeBy.Store(0)
	if err != nil && c.eng.cfg.OnHandshakeError != nil {
		c.eng.cfg.OnHandshakeError(c.tr.Cleartext(), err)
	}
	return err
}
