package netconn

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/lot"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// Link is the part of a connection that any goroutine may use. It is common to Conn, which the engine reads from, and
// Pulled, which its user reads from. All methods may be called concurrently.
//
// The parts of a Link have their own locks. output_write.go, output_flush.go and package output say which goroutine
// writes and flushes, link_wake.go which goroutine wakes which, and link_end.go which goroutine ends the connection.
type Link struct {
	eng    *core
	parent reader // the Conn or Pulled that embeds this Link

	tr transport.Conn
	Output

	deadline   clock.Deadline
	readBy     atomic.Int64              // deadline of the wait for input in progress; 0: no wait, forever: no deadline
	alarm      atomic.Int64              // when the alarm of SetAlarm is due; 0: not set
	extra      atomic.Pointer[linkExtra] // state that few connections need
	prev       *Link                     // in the engine's list; guarded by the engine's lock
	next       *Link                     // likewise
	mu         sync.Mutex                // guards place and lotLeft, Output.stall when it is set, and Conn.proto
	place      lot.Place                 // the connection's place in the lot
	asked      atomic.Uint32             // the events that the lot has been asked for and has not reported; set under mu
	latchFD    int32                     // the descriptor inside the latch, else transport.NoDescriptor; the goroutine's
	sentIn     bool                      // output was sent inside the latch since the last receive; likewise
	lotLeft    bool                      // the connection has left the lot for good; guarded by mu
	unawaited  bool                      // counted by core.unawaited; guarded by the engine's lock
	endRequest atomic.Int32              // set by Abort and Quit
}

// reader is the Conn or Pulled that embeds a Link.
type reader interface {
	// wake makes the reading goroutine look at the flags that have been set. It must not block.
	wake()
	// writeFailed is called once, when writing has failed. It must not block.
	writeFailed()
	// lotEvent is called by the lot, once for each request: input has arrived, or the peer has gone.
	lotEvent(what lot.Event)
	// drain is called when Shutdown has been called. It must not block.
	drain()
	// owner returns the Protocol of a Conn, the Owner of a Pulled.
	owner() any
}

// forever marks a wait without a deadline.
const forever = 1<<63 - 1

func (l *Link) init(e *core, up reader, nc net.Conn, raw bool) {
	l.eng, l.parent, l.latchFD = e, up, transport.NoDescriptor
	l.link, l.out.Bound = l, int32(e.cfg.WriteBuffer)
	l.tr.Init(nc, raw)
}

// NetConn returns the connection as it was accepted, or the *tls.Conn on it. Callers must not read from it or write to
// it. Closing it ends the connection. A deadline set on it is in effect until the engine sets one.
func (l *Link) NetConn() net.Conn { return l.tr.NetConn() }

// TLS returns the state of the connection's TLS, nil without TLS. The caller owns it.
func (l *Link) TLS() *tls.ConnectionState { return l.tr.State() }

// RemoteAddr returns the peer's address.
func (l *Link) RemoteAddr() net.Addr { return l.tr.Below().RemoteAddr() }

// LocalAddr returns the local address.
func (l *Link) LocalAddr() net.Addr { return l.tr.Below().LocalAddr() }

// Wall returns the time of day, at most a tick (5 ms) old: see clock.Clock.Wall.
func (l *Link) Wall() time.Time { return l.eng.clock.Wall() }

// Moment returns the time of the engine's clock in nanoseconds, at most a tick old. It is never 0.
func (l *Link) Moment() int64 { return l.eng.clock.Now() }

// ExactMoment is Moment without the delay of a tick. It costs a look at the system's clock.
func (l *Link) ExactMoment() int64 { return l.eng.clock.Exact() }

// Due is a deadline as its holder keeps it; see clock.Due.
type Due = clock.Due

// DueOf returns a time that a user has set as a deadline. It returns 0 for the zero time.
func (l *Link) DueOf(t time.Time) Due {
	l.eng.clock.At(t) // if it is not in the future, it has come
	return l.eng.clock.Due(t)
}

// DueIn returns a limit for the peer: d from now, 0 for none. It moves when time is lost.
func (l *Link) DueIn(d time.Duration) Due { return clock.Limit(clock.After(l.eng.clock.Now(), d)) }

// MomentOf returns when d comes on the engine's clock, 0 for never.
func (l *Link) MomentOf(d Due) int64 { return l.eng.clock.Moment(d) }

// Draining reports whether the engine is shutting down: the message being handled is the last.
func (l *Link) Draining() bool { return l.eng.draining.Load() }

// Owner returns the Protocol of a Conn, the Owner of a Pulled.
func (l *Link) Owner() any { return l.parent.owner() }
