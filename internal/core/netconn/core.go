package netconn

import (
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/defaults"
	"github.com/shockwave-go/shockwave/internal/core/ebb"
	"github.com/shockwave-go/shockwave/internal/core/lot"
	"github.com/shockwave-go/shockwave/internal/core/peerrate"
	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// limits are the settings of Config that every connection obeys, served or pulled.
type limits struct {
	rates         peerrate.Limits
	writeTimeout  time.Duration
	lingerTimeout time.Duration
	lingerBytes   int
	readBuffer    int
	maxUnread     int
	writeBuffer   int
	flushLate     bool
}

// core is what all connections of an engine share: limits, the clock, the lot, counters and the list of connections. It deals
// with lines only, not with the Conn or Pulled around them.
type core struct {
	limits
	clock          *clock.Clock
	log            *slog.Logger
	stats          counters
	ebb            ebb.Ebb
	draining       atomic.Bool
	pollerNotAsked atomic.Bool // a Pulled waits for input, and the runtime may not have polled since

	mu         sync.Mutex
	first      *line                   // list of all connections, linked by prev and next
	count      int                     // length of the list
	unawaited  int                     // how many of the list Shutdown does not wait for
	otherUsers int                     // users of lot and clock that are not listed: listeners, connections hijacked in the latch
	changed    *sync.Cond              // broadcast when count shrinks or unawaited grows, and when the engine ends
	lot        atomic.Pointer[lot.Lot] // opened on first use; set under mu
}

// add puts l on the list. It returns false if the engine is ending.
func (e *core) add(l *line) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.draining.Load() {
		return false
	}
	if l.next = e.first; l.next != nil {
		l.next.prev = l
	}
	e.first = l
	e.count++
	e.stats.open.Add(1)
	return true
}

// remove takes l off the list. The clock has retired it.
func (e *core) remove(l *line) {
	defer e.left()
	e.mu.Lock()
	defer e.mu.Unlock()
	if l.prev != nil {
		l.prev.next = l.next
	} else {
		e.first = l.next
	}
	if l.next != nil {
		l.next.prev = l.prev
	}
	l.prev, l.next = nil, nil
	e.count--
	if l.unawaited {
		e.unawaited--
	}
	e.stats.open.Add(-1)
	e.stopIfUnusedLocked()
	e.changed.Broadcast()
}

// left is called when a connection is no longer active: it has parked or ended.
func (e *core) left() { e.ebb.Left(e.clock, e.stats.active) }

// setUnawaited sets whether Shutdown does not wait for l. It does nothing once l is off the list.
func (e *core) setUnawaited(l *line, v bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if listed := l.prev != nil || e.first == l; !listed || l.unawaited == v {
		return
	}
	if l.unawaited = v; v {
		e.unawaited++
		e.changed.Broadcast()
	} else {
		e.unawaited--
	}
}

// readers returns the Conns and Pulleds that are open at this moment.
func (e *core) readers() []reader {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]reader, 0, e.count)
	for l := e.first; l != nil; l = l.next {
		all = append(all, l.parent)
	}
	return all
}

// addOtherUsers adds change to the number of users that are not on the list.
func (e *core) addOtherUsers(change int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.otherUsers += change
	e.stopIfUnusedLocked()
}

// stopIfUnusedLocked stops the goroutines of the lot and of the clock if nothing can need them any more.
func (e *core) stopIfUnusedLocked() {
	switch {
	case e.count > 0:
		return
	case e.draining.Load():
		e.clock.Finish()
	case e.otherUsers == 0:
		e.clock.StopIfIdle()
	}
	if l := e.lot.Load(); l != nil && e.otherUsers == 0 {
		e.lot.Store(nil)
		l.Close()
	}
}

// ensureLot returns the engine's lot and opens it if necessary. It returns nil where there can be none.
func (e *core) ensureLot() *lot.Lot {
	if l := e.lot.Load(); l != nil {
		return l // closed at any time when the last connection has ended: Ask then does nothing
	}
	return e.openLot()
}

func (e *core) openLot() *lot.Lot {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lot.Load() == nil && sys.Available && (e.count > 0 || e.otherUsers > 0) {
		l, _ := lot.Open()
		e.lot.Store(l)
	}
	return e.lot.Load()
}

// logPanic logs and counts a panic of the protocol of a connection. r is nil for runtime.Goexit.
func (e *core) logPanic(remote net.Addr, r any) {
	e.stats.panics.Add(1)
	if r == nil {
		r = "runtime.Goexit"
	}
	e.log.Error("protocol panicked", slog.Any("panic", r), slog.Any("remote", remote),
		slog.String(defaults.StackKey, string(debug.Stack())))
}
