package netconn

import (
	"net"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/deepstack"
	"github.com/shockwave-go/shockwave/internal/core/inbuf"
	"github.com/shockwave-go/shockwave/internal/core/peerrate"
)

// Conn is a connection that the engine serves: its goroutine reads the input and gives it to a Protocol.
//
//	accepted ─► handshake ─► serving ◄──► waiting ◄──► parked in the lot
//	                           │  ▲          │            │
//	                    Data ──┘  │          ▼            ▼
//	                          hijacked     ended ◄────────┘
//
// The connection's goroutine owns the Conn. A parked connection has no goroutine; it belongs to the lot, and the
// goroutine that takes it out of the lot starts the next one. Only the connection's goroutine may call the methods, within
// Data. The exceptions are the methods of Link, and AllowPauses, BeginWork, EndWork, DoNotAwait, Nudge, OnGone, OnGoneInline,
// Gone and NoteGone: any goroutine may call these while Data runs or work goes on.
type Conn struct {
	Link
	cfg       *Config      // the engine's
	proto     Protocol     // written under line.mu
	*running               // state that exists only while there is a goroutine; nil while parked
	idleSince clock.Moment // when the wait for the next message began
	reported  reported
	frequency useFrequency // how often the connection is used

	handshaking bool // a TLS handshake is to be done, or in progress; guarded by line.mu

	work      work
	ownership ownership
}

// ownership says who owns a Conn.
type ownership struct{ atomic.Int32 }

// The values of an ownership.
const (
	owned           = iota // by the connection's goroutine
	ownedNotReading        // likewise, and a background read is allowed: on the plain loop, unless Fill or Read waits
	parked                 // by the lot; the goroutine that swaps this to owned becomes the owner
	hijacked               // by the caller of Hijack
)

// is reports whether o has the value v.
func (o *ownership) is(v int32) bool { return o.Load() == v }

// running is the state of a connection that has a goroutine. That goroutine owns it.
type running struct {
	in            inbuf.Buffer
	msg           message
	rate          peerrate.Reads
	pausesAllowed atomic.Bool // set by AllowPauses, on any goroutine
	became        bool        // Data called Become
	exitsInOrder  bool        // Data called LeaveInOrder
	stack         deepstack.Use
	dataSince     clock.Moment // when the last Data began
	readSize      int          // size of the next input buffer, if larger than the default
}

var runnings = sync.Pool{New: func() any { return new(running) }}

// attachRunning gives c the state of a connection that has a goroutine.
func (c *Conn) attachRunning() { c.running = runnings.Get().(*running) }

// releaseRunning returns that state to the pool. All input must have been taken.
func (c *Conn) releaseRunning() {
	r := c.running
	c.running = nil
	r.in.Release()
	r.msg, r.rate, r.stack, r.dataSince, r.readSize = message{}, peerrate.Reads{}, deepstack.Use{}, 0, 0
	r.became, r.exitsInOrder = false, false
	r.pausesAllowed.Store(false)
	runnings.Put(r)
}

// newConn returns a Conn over nc, which is not on the engine's list yet.
func newConn(e *core, cfg *Config, nc net.Conn, raw bool) *Conn {
	c := &Conn{cfg: cfg}
	c.Link.init(e, c, nc, raw)
	return c
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
func (c *Conn) StayIdle() {
	c.msg.turn.stayIdle()
	c.reported.afterData = true
}

// Latched reports whether Data runs inside the latch; see Protocol.
func (c *Conn) Latched() bool { return c.latch.held() }

// Unread returns the input that has not been taken. It is valid until the next Fill or Read, or until Data returns.
func (c *Conn) Unread() []byte { return c.in.Unread() }

// Retain keeps the bytes of Unread unchanged, taken or not, until Release is called on the result. It allows passing
// them on without a copy.
func (c *Conn) Retain() *bufpool.Shared { return c.in.Retain() }

// unsentLimit is how much output the system may hold before it has sent it, on a connection that several streams share. The
// system wakes a writer when half of it has gone, so a fast line is never without output. Decision 11 has the measurements.
const unsentLimit = 32 << 10

// ShareOutput tells c that several streams share its output. Without it, the output of one stream could wait behind
// everything that the system has accepted from another, which takes seconds on a slow line. With it, the system accepts
// little more than it can send.
func (c *Conn) ShareOutput() { c.tr.LimitUnsent(unsentLimit) }
