package websocket

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/defaults"
	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// Conn is a WebSocket connection.
//
//	open ──Close, CloseWrite──► closing ──the peer's close frame──► over
//	  │                            └────────── CloseTimeout ─────────►│
//	  ├── the peer's close frame, or an error ───────────────────────►│
//	  └── the peer's close frame ──► OnPeerClose ──Close──► answered ►│
//
// All methods may be called concurrently. Messages are read by one goroutine at a time and written in the order of the
// calls. Every Conn must be closed or read until an error, which ends it.
type Conn struct {
	t        *netconn.Link
	pull     *netconn.Pulled // what t is a part of, unless the engine reads
	set      *conduct
	role     wsframe.Role
	held     bool        // what is written waits for the end of a batch; reading guards it
	homeless bool        // it has left its rooms for good; mu guards it
	plain    atomic.Bool // messages are not compressed, although that was negotiated

	onMessage func(c *Conn, t MessageType, p []byte) // nil if it is the user who reads
	onClose   func(c *Conn, err error)

	reading turn // held by who reads, and thereby owns pull; see doneReading
	in      inbound

	compress *deflater // with permessage-deflate

	mu     sync.Mutex
	err    error // why it is over, or will be
	outbox *outbox
	rare   *rarely // nil until needed
	pulse  *pulse  // nil without PingInterval
	value  any

	over      atomic.Bool  // users have been told
	expired   atomic.Bool  // CloseTimeout has passed
	finished  atomic.Bool  // t has been finished, or is being finished
	ends      atomic.Int32 // what others than its reader have decided
	inLine    atomic.Bool  // outbox.moving: whatever is written now waits behind that
	announced atomic.Bool  // the answer to the handshake is on its way, and the group may be told of it
	closer    atomic.Int32 // who has called Close: then the peer's close frame is an answer, if ours was first
	busy      atomic.Bool  // a callback may be running: nobody reads
}

// rarely is what few connections need at a time; Conn.mu guards it.
type rarely struct {
	done    chan struct{} // closed when over
	closing *time.Timer   // ends it when CloseTimeout has passed
	pongs   map[string]chan struct{}
	rooms   map[*Room]struct{} // that it is a member of
	sub     string             // the subprotocol
	half    halfClosed
}

// Whether Close or CloseWrite has been called.
const (
	notClosed   int32 = iota
	closedBoth        // what the peer still says is dropped
	closedWrite       // it is read
)

// closed reports whether Close or CloseWrite has been called.
func (c *Conn) closed() bool { return c.closer.Load() != notClosed }

// rarely returns c.rare; c.mu is held.
func (c *Conn) rarely() *rarely {
	if c.rare == nil {
		c.rare = new(rarely)
	}
	return c.rare
}

// Subprotocol returns what was chosen, empty if nothing was.
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

// EnableWriteCompression says whether messages are compressed that begin to be written afterwards, as far as that was
// negotiated and they are long enough. So some may go without that gain nothing by it, pictures for example, or that must
// not share a compressor with a stranger's words. Default: they are.
func (c *Conn) EnableWriteCompression(on bool) { c.plain.Store(!on) }

// compresses reports whether a message of n bytes is to be compressed.
func (c *Conn) compresses(n int) bool {
	return c.compress != nil && n >= int(c.set.threshold) && !c.plain.Load()
}

// LocalAddr returns the address of this end.
func (c *Conn) LocalAddr() net.Addr { return c.t.LocalAddr() }

// RemoteAddr returns the address of the peer.
func (c *Conn) RemoteAddr() net.Addr { return c.t.RemoteAddr() }

// NetConn returns the connection below: do not read, write or close it.
func (c *Conn) NetConn() net.Conn { return c.t.NetConn() }

// SetValue keeps v, whatever the application wants to know of the connection. See Value.
func (c *Conn) SetValue(v any) {
	c.mu.Lock()
	c.value = v
	c.mu.Unlock()
}

// Value returns what SetValue was given last.
func (c *Conn) Value() any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.value
}

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetReadDeadline bounds reads, also those under way; the zero time is none. A read that runs into it fails with
// os.ErrDeadlineExceeded and loses nothing: the next one goes on where it stopped.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.t.SetReadDeadline(t) }

// SetWriteDeadline bounds every wait for the peer to take what is written; the zero time is none. When it passes while
// something is on its way the connection is over. Afterwards writes fail with os.ErrDeadlineExceeded, and go on when a
// later one is set; pings are not answered meanwhile.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.t.SetWriteDeadline(t) }

// SetReadLimit changes what Config.ReadLimit says, and as that does: 0 is the default, a negative limit is none. It counts
// from the next frame that is read. An upgraded connection may so be allowed more once its user is known.
func (c *Conn) SetReadLimit(n int64) {
	defaults.SetLimit(&n, defaultReadLimit)
	c.in.limit.Store(n)
}

// Err returns why the connection is over, nil while it is not.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over.Load() {
		return nil
	}
	return c.err
}

// fail notes why the connection ends; the first reason counts.
func (c *Conn) fail(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
	return c.err
}

// finish gives back what the connection holds and says that it is over. It is called once, by the owner of t.
func (c *Conn) finish(err error) {
	c.finished.Store(true)
	c.in.drop()
	c.dropContexts()
	c.end(err)
}

// end says that the connection is over, once.
func (c *Conn) end(err error) {
	c.fail(err)
	c.leaveRooms()
	c.mu.Lock()
	if c.over.Swap(true) {
		c.mu.Unlock()
		return
	}
	c.set.group.open.Add(-1)
	c.outbox.abandon()
	c.rare.end()
	c.mu.Unlock()
	c.t.SetAlarm(0)
}

// end tells who waits that the connection is over. r may be nil.
func (r *rarely) end() {
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
	r := c.rarely()
	if r.done == nil {
		r.done = make(chan struct{})
		if c.over.Load() {
			close(r.done)
		}
	}
	return r.done
}
