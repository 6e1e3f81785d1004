package websocket

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/defaults"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// Conn is a WebSocket connection.
//
//	open ──Close, CloseWrite──► closing ──the peer's close frame──► over
//	  │                            └────────── CloseTimeout ─────────►│
//	  ├── the peer's close frame, or an error ───────────────────────►│
//	  └── the peer's close frame ──► OnPeerClose ──Close──► answered ►│
//
// All methods are safe for concurrent use. One goroutine at a time reads; messages are written in the order of the
// calls. Every Conn must be closed, or read until an error, which ends the connection.
type Conn struct {
	t           *netconn.Link
	pull        *netconn.Pulled // contains t; nil if the engine reads
	cfg         *connConfig
	role        wsframe.Role
	held        bool        // t holds output back until the end of a batch of frames; guarded by reading
	leftRooms   bool        // it has left all rooms and may join none; guarded by mu
	compressOff atomic.Bool // EnableWriteCompression(false) was called

	onMessage func(c *Conn, t MessageType, p []byte) // nil if the user reads
	onClose   func(c *Conn, err error)

	reading contextMutex // held while reading: its holder owns pull and in; see unlockReading
	in      inbound

	compress *deflater // nil without permessage-deflate

	mu        sync.Mutex
	err       error      // why the connection is over, or will be
	outbox    *outbox    // nil until a message has to wait
	rare      *rareState // nil until needed
	heartbeat *heartbeat // nil without Config.PingInterval
	value     any

	over       atomic.Bool  // the connection is over: Err and Done say so
	expired    atomic.Bool  // CloseTimeout has passed
	finished   atomic.Bool  // the owner of t has finished t, or is about to
	endState   atomic.Int32 // one of endNone, endWriteFailed, endCutOff
	inLine     atomic.Bool  // copy of outbox.moving: a write has to wait in line
	announced  atomic.Bool  // the answer to the handshake has been written, and Group.All may return the connection
	closeState atomic.Int32 // one of notClosed, closedBoth, closedWrite
	busy       atomic.Bool  // a callback may be running, so nothing is being read
}

// rareState has what few connections need. Conn.mu guards it.
type rareState struct {
	done    chan struct{}            // closed when over
	closing *clock.SteppedTimer      // ends the connection when CloseTimeout has passed
	pongs   map[string]chan struct{} // the payloads of pings sent by Ping, with channels closed by their pongs
	rooms   map[*Room]struct{}       // the rooms that it is a member of
	sub     string                   // the subprotocol
	half    halfClosed
}

// Whether Close or CloseWrite has been called, and which.
const (
	notClosed   int32 = iota
	closedBoth        // Close: messages of the peer are dropped
	closedWrite       // CloseWrite: messages of the peer are still read
)

// closed reports whether Close or CloseWrite has been called.
func (c *Conn) closed() bool { return c.closeState.Load() != notClosed }

// rareState returns c.rare, which it makes if needed. c.mu must be held.
func (c *Conn) rareState() *rareState {
	if c.rare == nil {
		c.rare = new(rareState)
	}
	return c.rare
}

// Subprotocol returns the negotiated subprotocol, or "" if there is none.
func (c *Conn) Subprotocol() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rare == nil {
		return ""
	}
	return c.rare.sub
}

// Compressed reports whether permessage-deflate was negotiated.
func (c *Conn) Compressed() bool { return c.compress != nil }

// EnableWriteCompression says whether messages written from now on are compressed, if compression was negotiated and
// they are long enough. Turn it off for messages that do not get smaller, such as pictures, or for secrets that must not
// be compressed together with data chosen by an attacker. Default: on.
func (c *Conn) EnableWriteCompression(on bool) { c.compressOff.Store(!on) }

// compresses reports whether a message of n bytes is to be compressed.
func (c *Conn) compresses(n int) bool {
	return c.compress != nil && n >= int(c.cfg.threshold) && !c.compressOff.Load()
}

// LocalAddr returns the local network address.
func (c *Conn) LocalAddr() net.Addr { return c.t.LocalAddr() }

// RemoteAddr returns the peer's network address.
func (c *Conn) RemoteAddr() net.Addr { return c.t.RemoteAddr() }

// NetConn returns the underlying connection. Do not read from it, write to it or close it.
func (c *Conn) NetConn() net.Conn { return c.t.NetConn() }

// SetValue stores a value of the application's for the connection. Value returns it.
func (c *Conn) SetValue(v any) {
	c.mu.Lock()
	c.value = v
	c.mu.Unlock()
}

// Value returns the value stored last by SetValue, or nil.
func (c *Conn) Value() any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.value
}

// SetDeadline sets the read deadline and the write deadline.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetReadDeadline sets the deadline of reads, including one that is already blocked; the zero time means none. A read
// after the deadline fails with os.ErrDeadlineExceeded, even if a message has arrived, and loses nothing: the next read
// continues where it stopped.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.t.SetReadDeadline(t) }

// SetWriteDeadline bounds every wait for the peer to take output; the zero time means none. If it passes while something
// is being sent, the connection ends. If it passes otherwise, writes fail with os.ErrDeadlineExceeded until a later
// deadline is set, and pings are not answered meanwhile. It does not bound the wait for another message to be finished
// that is being written with NextWriter: WriteContext and NextWriterContext do.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.t.SetWriteDeadline(t) }

// SetReadLimit changes the limit of Config.ReadLimit: 0 means the default, a negative limit none. It applies from the
// next frame on; a compressed message must also fit the limit at its end. A server can use it to raise the limit once the
// user is known.
func (c *Conn) SetReadLimit(n int64) {
	defaults.SetLimit(&n, defaultReadLimit)
	c.in.limit.Store(n)
}

// Err returns why the connection is over, or nil while it is not.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over.Load() {
		return nil
	}
	return c.err
}

// fail records err as the reason why the connection ends, unless there is one already, and returns the reason.
func (c *Conn) fail(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
	return c.err
}

// finish releases what the connection holds and marks it as over. The owner of t calls it once.
func (c *Conn) finish(err error) {
	c.finished.Store(true)
	c.in.drop()
	c.dropContexts()
	c.end(err)
}

// end marks the connection as over. Calls after the first one do nothing.
func (c *Conn) end(err error) {
	c.fail(err)
	c.leaveRooms()
	c.mu.Lock()
	if c.over.Swap(true) {
		c.mu.Unlock()
		return
	}
	c.cfg.group.open.Add(-1)
	c.outbox.abandon()
	c.rare.end()
	c.mu.Unlock()
	c.t.SetAlarm(0)
}

// end wakes the goroutines that wait for the end of the connection. r may be nil.
func (r *rareState) end() {
	if r == nil {
		return
	}
	if r.done != nil {
		close(r.done)
	}
	for _, p := range r.pongs {
		close(p)
	}
	r.pongs = nil
	if r.closing != nil {
		r.closing.Stop()
	}
}

// Done returns a channel that is closed when the connection is over.
func (c *Conn) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.rareState()
	if r.done == nil {
		r.done = make(chan struct{})
		if c.over.Load() {
			close(r.done)
		}
	}
	return r.done
}
