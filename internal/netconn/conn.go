package netconn

import (
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/transport"
)

// Conn is a connection that the engine serves: it gives what arrives to a Protocol.
//
//	accepted ─► handshake ─► serving ◄──► waiting ◄──► parked in the lot
//	                           │  ▲          │            │
//	                    Data ──┘  │          ▼            ▼
//	                          hijacked     ended ◄────────┘
//
// Whoever runs the connection's goroutine owns it; a parked connection belongs to the lot, and who takes it out of there
// starts the next goroutine. Except where otherwise noted the methods are for that goroutine, within Data; those of Link
// are for all.
type Conn struct {
	Link
	proto     Protocol     // changed under Link.mu
	*running               // what only a connection with a goroutine has; nil in the lot
	idleSince int64        // when the wait for the next message began
	state     int8         // the State last told to OnState
	frequency useFrequency // how often it is used

	work      atomic.Int32 // what goes on after Data has returned
	nudged    atomic.Bool  // Data is to run, with or without bytes
	ownership atomic.Int32 // ours, between, parked or hijacked
}

// Whose a connection is.
const (
	owned           = iota // its goroutine's
	ownedNotReading        // its goroutine's on the plain loop, while Data runs and neither Fill nor Read waits at the transport
	parked                 // the lot's; whoever swaps that to ours owns the connection
	hijacked               // who called Hijack's
)

// running is what a connection has while it has a goroutine, whose it is.
type running struct {
	input
	readSize       int   // bytes of the next buffer, if that is more than the usual
	begun          int64 // when the first byte arrived that Data did not take; 0 when all is taken
	rate           readAccount
	pausesAllowed  atomic.Bool // AllowPauses; any goroutine sets it
	became         bool        // Data called Become
	stack          stackUse
	exitsInOrder   bool // Data called LeaveInOrder
	stayedIdle     bool // Data called StayIdle
	used           bool // a Data that did not has run since the wait for a message began
	everStayedIdle bool // a Data called StayIdle before: whether the connection is used shows when Data has run
}

var runnings = sync.Pool{New: func() any { return new(running) }}

// run gives c what a connection with a goroutine has.
func (c *Conn) attachRunning() { c.running = runnings.Get().(*running) }

// releaseRunning gives that back; all input has been taken.
func (c *Conn) releaseRunning() {
	r := c.running
	c.running = nil
	r.release()
	r.readSize, r.begun, r.rate, r.stack = 0, 0, readAccount{}, stackUse{}
	r.became, r.exitsInOrder, r.stayedIdle, r.used, r.everStayedIdle = false, false, false, false, false
	r.pausesAllowed.Store(false)
	runnings.Put(r)
}

func (c *Conn) owner() any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.proto
}

// become makes p the connection's Protocol.
func (c *Conn) become(p Protocol) {
	c.mu.Lock()
	c.proto = p
	c.mu.Unlock()
	if c.Draining() {
		c.drain()
	}
}

// Become hands the connection to p: what is unread and all later bytes go to it. The End of the protocol so far is not
// called.
func (c *Conn) Become(p Protocol) {
	c.become(p)
	c.became = true
}

// LeaveInOrder is called by a Data that ends by runtime.Goexit: the connection ends as after ErrDone, and nothing is
// logged.
func (c *Conn) LeaveInOrder() { c.exitsInOrder = true }

// StayIdle is called by a Data that was given nothing of a message: IdleTimeout goes on as if nothing had come. From then
// on OnState is told of StateActive behind a Data that does not call it, and no more before.
func (c *Conn) StayIdle() { c.stayedIdle = true }

// Latched reports whether Data runs inside the latch; see Protocol.
func (c *Conn) Latched() bool { return c.latchFD != transport.NoDescriptor }

// setState tells OnState of a change.
func (c *Conn) setState(s State) {
	if c.eng.cfg.OnState == nil || c.state == int8(s) {
		return
	}
	c.state = int8(s)
	c.eng.cfg.OnState(c.NetConn(), s)
}
