package netconn

import (
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// Conn is a connection that the engine serves: its goroutine reads the input and gives it to a Protocol.
//
//	accepted ─► handshake ─► serving ◄──► waiting ◄──► parked in the lot
//	                           │  ▲          │            │
//	                    Data ──┘  │          ▼            ▼
//	                          hijacked     ended ◄────────┘
//
// The connection's goroutine owns the Conn. A parked connection has no goroutine; it belongs to the lot, and the
// goroutine that takes it out of the lot starts the next one. Unless noted otherwise, the methods may be called only by
// the connection's goroutine, within Data. The methods of Link may be called by any goroutine.
type Conn struct {
	Link
	proto     Protocol     // written under Link.mu
	*running               // state that exists only while there is a goroutine; nil while parked
	idleSince int64        // when the wait for the next message began
	state     int8         // the State last reported to OnState
	frequency useFrequency // how often the connection is used

	handshaking bool // a TLS handshake is to be done, or in progress; guarded by Link.mu

	work      atomic.Int32 // pieces of work that go on after Data has returned
	nudged    atomic.Bool  // Data is to run once more, with or without input
	ownership atomic.Int32 // owned, ownedNotReading, parked or hijacked
}

// The values of Conn.ownership.
const (
	owned           = iota // by the connection's goroutine
	ownedNotReading        // likewise, and a background read is allowed: on the plain loop, unless Fill or Read waits
	parked                 // by the lot; the goroutine that swaps this to owned becomes the owner
	hijacked               // by the caller of Hijack
)

// running is the state of a connection that has a goroutine. That goroutine owns it.
type running struct {
	input
	readSize       int   // size of the next input buffer, if larger than the default
	begun          int64 // when the first byte that Data has not taken arrived; 0 if all is taken
	dataSince      int64 // when the last Data began
	rate           readAccount
	pausesAllowed  atomic.Bool // set by AllowPauses, on any goroutine
	became         bool        // Data called Become
	stack          stackUse
	exitsInOrder   bool // Data called LeaveInOrder
	stayedIdle     bool // the last Data called StayIdle
	used           bool // since the wait for a message began, a Data has run that did not call StayIdle
	everStayedIdle bool // StayIdle has been called before: StateActive is reported after Data, not before
}

var runnings = sync.Pool{New: func() any { return new(running) }}

// attachRunning gives c the state of a connection that has a goroutine.
func (c *Conn) attachRunning() { c.running = runnings.Get().(*running) }

// releaseRunning returns that state to the pool. All input must have been taken.
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

// become makes p the Protocol of c.
func (c *Conn) become(p Protocol) {
	c.mu.Lock()
	c.proto = p
	c.mu.Unlock()
	if c.Draining() {
		c.drain()
	}
}

// Become hands the connection to p, which receives the unread bytes and everything after them. The End method of the
// previous protocol is not called.
func (c *Conn) Become(p Protocol) {
	c.become(p)
	c.became = true
}

// LeaveInOrder makes a Data that ends with runtime.Goexit end the connection as ErrDone would. Nothing is logged.
func (c *Conn) LeaveInOrder() { c.exitsInOrder = true }

// StayIdle is called by a Data whose input was not part of a message: IdleTimeout continues as if nothing had arrived.
// After the first call, StateActive is no longer reported before Data, but after a Data that did not call StayIdle.
func (c *Conn) StayIdle() { c.stayedIdle = true }

// Latched reports whether Data runs inside the latch; see Protocol.
func (c *Conn) Latched() bool { return c.latchFD != transport.NoDescriptor }

// setState reports s to OnState if the state has changed.
func (c *Conn) setState(s State) {
	if c.eng.cfg.OnState != nil && c.state != int8(s) {
		c.reportState(s)
	}
}

func (c *Conn) reportState(s State) {
	c.state = int8(s)
	c.eng.cfg.OnState(c.NetConn(), s)
}

// unsentLimit is how much output the system may hold before it has sent it, on a connection that several streams share. The
// system wakes a writer when half of it has gone, so a fast line is never without output. Decision 11 has the measurements.
const unsentLimit = 32 << 10

// ShareOutput tells c that several streams share its output. What one of them writes should not wait behind all that the
// system takes of another's: on a slow line that is seconds. So it takes only what it can nearly send.
func (c *Conn) ShareOutput() { c.tr.LimitUnsent(unsentLimit) }
