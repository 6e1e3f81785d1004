package netconn

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/clock"
	"github.com/shockwave-go/shockwave/internal/lot"
	"github.com/shockwave-go/shockwave/internal/transport"
)

// Link is a connection as all may use it who do not read from it: what is common to a Conn, which the engine serves, and
// a Pulled, from which somebody reads. All methods may be called concurrently.
//
// What it is made of has locks of its own. Who writes and who flushes stands in output_write.go, output_flush.go and
// package output, who wakes whom in link_wake.go, who ends it in link_end.go.
type Link struct {
	eng    *core
	parent reader // the Conn or Pulled that this is a part of

	tr transport.Conn
	Output

	deadline   clock.Deadline
	readBy     atomic.Int64              // when the wait for input that is under way ends: 0 none, forever
	alarm      atomic.Int64              // SetAlarm; 0: none is set
	extra      atomic.Pointer[linkExtra] // what few connections have
	prev       *Link                     // in the engine's list; under its lock
	next       *Link                     // likewise
	mu         sync.Mutex                // guards what follows
	place      lot.Place                 // in the lot
	asked      lot.Event                 // of the lot
	latchFD    int32                     // the descriptor inside the latch, else transport.NoDescriptor; the goroutine's inside it
	sentIn     bool                      // something has been sent inside the latch since the last receive; as latchFD
	lotLeft    bool                      // the lot is not asked any more; under mu
	endRequest atomic.Int32              // what Abort and Quit have decided
}

// reader is what a Link is a part of.
type reader interface {
	// wake has who reads look at the flags that have been set. It does not wait.
	wake()
	// broken is told, once, that writing has failed. It does not wait.
	writeFailed()
	// happened is told by the lot, once for each time it was asked: bytes are there, or the peer has gone.
	lotEvent(what lot.Event)
	// drain is told that Shutdown was called. It does not wait.
	drain()
	// owner is the Protocol or Owner.
	owner() any
}

// forever is a deadline that does not come: somebody waits, but not for the clock.
const forever = 1<<63 - 1

func (l *Link) init(e *core, up reader, nc net.Conn, raw bool) {
	l.eng, l.parent, l.latchFD = e, up, transport.NoDescriptor
	l.link, l.out.Bound = l, int32(e.cfg.WriteBuffer)
	l.tr.Init(nc, raw)
}

// NetConn returns the connection as it was accepted, or the *tls.Conn on it. Do not read or write it. To close it ends the
// connection, and a deadline that is set on it counts until the engine sets one.
func (l *Link) NetConn() net.Conn { return l.tr.NetConn() }

// TLS returns the state of the connection's TLS, nil without TLS. It is the caller's.
func (l *Link) TLS() *tls.ConnectionState { return l.tr.State() }

// RemoteAddr returns the peer's address.
func (l *Link) RemoteAddr() net.Addr { return l.tr.Below().RemoteAddr() }

// LocalAddr returns our address.
func (l *Link) LocalAddr() net.Addr { return l.tr.Below().LocalAddr() }

// Now is the time, at most a tick (5 ms) behind.
func (l *Link) Now() time.Time { return l.eng.clock.Wall() }

// Moment is the time as the engine's clock counts it, in nanoseconds, at most a tick behind; never 0.
func (l *Link) Moment() int64 { return l.eng.clock.Now() }

// MomentOf returns t as the engine's clock counts it, 0 for the zero time.
func (l *Link) MomentOf(t time.Time) int64 { return l.eng.clock.At(t) }

// Draining reports whether the engine shuts down: the message in hand is the last.
func (l *Link) Draining() bool { return l.eng.draining.Load() }

// Owner returns the Protocol of a Conn, the Owner of a Pulled.
func (l *Link) Owner() any { return l.parent.owner() }
