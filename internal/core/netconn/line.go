package netconn

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/latchedconn"
	"github.com/shockwave-go/shockwave/internal/core/lot"
	"github.com/shockwave-go/shockwave/internal/core/peergone"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// line is the ground of a connection: its transport, its engine, and the waits and requests that both halves know. A connection
// is built in layers. Each uses only those below it; what is above is reached through reader.
//
//	Conn     Pulled     reads
//	   └──┬──┘
//	    Link             reading half, deadlines, the end
//	   Output            what others may write
//	   sender            flushes the queue, waits for the peer, judges it
//	    line
type line struct {
	prev, next *line // in the engine's list; guarded by the engine's lock
	deadline   clock.Deadline
	mu         sync.Mutex // guards seat, sender.stall when it is set, and Conn.proto
	seat       seat
	extra      atomic.Pointer[extra] // state that few connections need

	end       atomic.Int32 // an endRequest
	unawaited bool         // counted by core.unawaited; guarded by the engine's lock
	latch     latch
	eng       *core
	parent    reader // the Conn or Pulled that this line is part of
	tr        transport.Conn
}

// reader is the Conn or Pulled that a line is part of.
type reader interface {
	clock.Holder
	lot.Tenant
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

// latch is what is known inside the latch. It belongs to the goroutine that is inside.
type latch struct {
	fd     int32 // the descriptor, else transport.NoDescriptor
	sentIn bool  // output was sent inside the latch since the last receive
}

// leave notes that the latch has been left.
func (l *latch) leave() { l.fd = transport.NoDescriptor }

// held reports whether the caller is inside the latch.
func (l *latch) held() bool { return l.fd != transport.NoDescriptor }

// endRequest is how a goroutine other than the reader wants the connection to end.
type endRequest = int32

const (
	endNone     endRequest = iota
	endQuitting            // Quit is sending what the socket takes without waiting
	endQuit                // Quit has sent all output: the connection ends in order
	endAbort               // Abort was called
)

// aborted reports whether the reader must end the connection without delay.
func (l *line) aborted() bool { return l.end.Load() >= endQuit }

// mustNotWait reports whether no goroutine may wait for the peer to take output.
func (l *line) mustNotWait() bool { return l.end.Load() != endNone && l.tr.Socket() }

// extra is the state that few connections need.
type extra struct {
	readBy, writeBy atomic.Int64 // a clock.Due each: set by SetReadDeadline, SetWriteDeadline and the like
	writeTimeout    atomic.Int64 // set by SetWriteTimeout; 0: Config's
	wakeCh          atomic.Pointer[chan struct{}]
	hijacked        atomic.Pointer[latchedconn.Conn] // what Hijack returned inside the latch
	goneReader      peergone.Reader
	gone            peergone.Calls
}

// openWakeCh returns a channel that signalWake sends to.
func (x *extra) openWakeCh() <-chan struct{} {
	c := make(chan struct{}, 1)
	x.wakeCh.Store(&c)
	return c
}

// signalWake wakes the goroutine that receives from openWakeCh's channel.
func (x *extra) signalWake() {
	if c := x.wakeCh.Load(); c != nil {
		select {
		case *c <- struct{}{}:
		default:
		}
	}
}

// ensureExtra returns l.extra and creates it if necessary.
func (l *line) ensureExtra() *extra {
	if x := l.extra.Load(); x != nil {
		return x
	}
	return l.newExtra()
}

func (l *line) newExtra() *extra {
	l.extra.CompareAndSwap(nil, new(extra))
	return l.extra.Load()
}

// goneCalls returns the calls of OnGone, nil if there never were any.
func (l *line) goneCalls() *peergone.Calls {
	if x := l.extra.Load(); x != nil {
		return &x.gone
	}
	return nil
}

// forever marks a wait without a deadline.
const forever = 1<<63 - 1

func (l *line) init(e *core, up reader, nc net.Conn, raw bool) {
	l.eng, l.parent = e, up
	l.latch.leave()
	l.tr.Init(nc, raw)
}

// waitUntil stores the deadline of a wait, 0 for none, in field and arms the clock for it.
func (l *line) waitUntil(field *atomic.Int64, at clock.Moment) {
	if at == 0 {
		field.Store(forever)
		return
	}
	field.Store(at)
	l.arm(at)
}

// arm makes sure that the reader's Expired is called no later than at; 0 is never.
func (l *line) arm(at clock.Moment) {
	if !l.deadline.Covers(at) {
		l.eng.clock.Arm(l.parent, at)
	}
}

// NetConn returns the connection as it was accepted, or the *tls.Conn on it. Callers must not read from it or write to
// it. Closing it ends the connection. A deadline set on it is in effect until the engine sets one.
func (l *line) NetConn() net.Conn { return l.tr.NetConn() }

// TLS returns the state of the connection's TLS, nil without TLS. The caller owns it.
func (l *line) TLS() *tls.ConnectionState { return l.tr.State() }

// RemoteAddr returns the peer's address.
func (l *line) RemoteAddr() net.Addr { return l.tr.Below().RemoteAddr() }

// LocalAddr returns the local address.
func (l *line) LocalAddr() net.Addr { return l.tr.Below().LocalAddr() }

// Wall returns the time of day, at most a tick (5 ms) old: see clock.Clock.Wall.
func (l *line) Wall() time.Time { return l.eng.clock.Wall() }

// Moment returns the time of the engine's clock in nanoseconds, at most a tick old. It is never 0.
func (l *line) Moment() int64 { return l.eng.clock.Now() }

// ExactMoment is Moment without the delay of a tick. It costs a look at the system's clock.
func (l *line) ExactMoment() int64 { return l.eng.clock.Exact() }

// DueOf returns a time that a user has set as a deadline. It returns 0 for the zero time.
func (l *line) DueOf(t time.Time) Due {
	l.eng.clock.At(t) // if it is not in the future, it has come
	return l.eng.clock.Due(t)
}

// DueIn returns a limit for the peer: d from now, 0 for none. It moves when time is lost.
func (l *line) DueIn(d time.Duration) Due { return clock.Limit(clock.After(l.eng.clock.Now(), d)) }

// MomentOf returns when d comes on the engine's clock, 0 for never.
func (l *line) MomentOf(d Due) int64 { return l.eng.clock.Moment(d) }

// Draining reports whether the engine is shutting down: the message being handled is the last.
func (l *line) Draining() bool { return l.eng.draining.Load() }

// Wakes reports whether a waiting reader can be interrupted without ending the connection. The deadlines of some
// connections do nothing.
func (l *line) Wakes() bool { return l.tr.Wakes() }

// Owner returns the Protocol of a Conn, the Owner of a Pulled.
func (l *line) Owner() any { return l.parent.owner() }
