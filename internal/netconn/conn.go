package netconn

import (
	"crypto/tls"
	"net"
	"sync/atomic"
)

// Conn is one connection.
//
//	accepted ─► handshake ─► serving ◄──► waiting ◄──► parked in the lot
//	                           │  ▲          │            │
//	                    Data ──┘  │          ▼            ▼
//	                           taken over   ended ◄───────┘
//
// Whoever runs the connection's goroutine owns it; a parked connection belongs to the lot, and who takes it out of
// there starts the next goroutine. Only the owner ends a connection. Everybody else sets a flag and kicks.
//
// Except where otherwise noted the methods are for the connection's goroutine, within Data.
type Conn struct {
	eng   *Engine
	nc    net.Conn // as accepted
	shim  *shim    // TLS on nc; nil without
	proto Protocol

	*running                  // what only a connection with a goroutine has; nil in the lot
	output                    // shared, under its mutex
	waits                     // deadlines, atomic
	gone      *goneBox        // who wants to know that the peer has left; under output.mu
	slot      slot            // of the lot; under output.mu
	back      *backgroundRead // of the plain loop's OnGone; under output.mu
	idleSince int64           // when the wait for the next message began
	state     int8            // the State last told to OnState
	reading   bool            // Fill or Read is at the transport of the plain loop; under output.mu
	parted    bool            // a message is being written in parts; under output.mu
	alone     bool            // it may be written to alone, and has a sender from the start; never changes
	latched   bool            // the goroutine is inside the latch
	counts    counting        // whether the kernel tells with each receive how much is left
	socket    bool            // nc is a socket of the standard library's own: the latched loop, and raw
	habit     habit           // how often it is used

	taken   atomic.Bool               // TakeOver succeeded
	aborted atomic.Bool               // Abort was called
	watched atomic.Bool               // OnGone was called in this run of Data
	parked  atomic.Bool               // in the lot: whoever swaps it to false owns the connection
	wrapper atomic.Pointer[takenConn] // what TakeOver gave out inside the latch

	prev, next *Conn // in the engine's list; under Engine.mu
}

// counting says whether the kernel tells how much a receive has left.
type counting uint8

const (
	notAsked counting = iota // it costs a system call, which a connection for one message does without
	counted
	uncounted
)

// waits are the moments, by the engine's clock, at which somebody must look after the connection. 0 is never.
type waits struct {
	readBy    atomic.Int64 // the wait for input that is under way
	writeBy   atomic.Int64 // the wait for the socket that is under way
	userRead  atomic.Int64 // SetReadDeadline
	userWrite atomic.Int64 // SetWriteDeadline
	due       atomic.Int64 // when the clock looks at the connection next; clock.mu
	dueIndex  int          // in the clock's heap; clock.mu
}

// NetConn returns the accepted connection, or the *tls.Conn on it. Do not read, write or close it.
func (c *Conn) NetConn() net.Conn {
	if c.shim != nil {
		return c.shim.tls
	}
	return c.nc
}

// TLS returns the state of the connection's TLS, nil without TLS. It is the caller's.
func (c *Conn) TLS() *tls.ConnectionState {
	if c.shim == nil {
		return nil
	}
	s := c.shim.tls.ConnectionState()
	return &s
}

// RemoteAddr returns the peer's address. Any goroutine may call it.
func (c *Conn) RemoteAddr() net.Addr { return c.nc.RemoteAddr() }

// LocalAddr returns our address. Any goroutine may call it.
func (c *Conn) LocalAddr() net.Addr { return c.nc.LocalAddr() }

// Engine returns the engine that runs c. Any goroutine may call it.
func (c *Conn) Engine() *Engine { return c.eng }

// Latched tells whether Data runs inside the latch; see Protocol.
func (c *Conn) Latched() bool { return c.latched }

// Draining tells whether the engine shuts down: the message in hand is the last. Any goroutine may call it.
func (c *Conn) Draining() bool { return c.eng.draining.Load() }

// Become hands the connection to p: what is unread and all later bytes go to it. The End of the protocol so far is not
// called.
func (c *Conn) Become(p Protocol) {
	c.proto = p
	c.became = true
}

// setState tells OnState of a change.
func (c *Conn) setState(s State) {
	if c.eng.cfg.OnState == nil || c.state == int8(s) {
		return
	}
	c.state = int8(s)
	c.eng.cfg.OnState(c.NetConn(), s)
}
