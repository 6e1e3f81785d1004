package netconn

import (
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/clock"
	"github.com/shockwave-go/shockwave/internal/defaults"
	"github.com/shockwave-go/shockwave/internal/lot"
	"github.com/shockwave-go/shockwave/internal/sys"
)

// core is what the connections of an engine share: its settings, its clock, its lot and the list of them all. It knows
// links and not what runs them.
type core struct {
	cfg            Config
	clock          *clock.Clock
	stats          counters
	draining       atomic.Bool
	pollerNotAsked atomic.Bool // a Pulled waits, and the poller has perhaps not been asked since

	mu         sync.Mutex
	first      *Link      // all connections, a list through prev and next
	count      int        // of the list
	otherUsers int        // who needs the lot without being on the list: listeners, and connections given away inside the latch
	changed    *sync.Cond // count has become smaller, or the engine ends
	lot        *lot.Lot   // made by the first who needs it
}

// add puts l on the list; it reports false when the engine ends.
func (e *core) add(l *Link) bool {
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

// remove takes l from the list.
func (e *core) remove(l *Link) {
	l.SetAlarm(0) // which may wait for an owner that never came
	e.clock.Disarm(l)
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
	e.stats.open.Add(-1)
	e.stopIfUnused()
	e.changed.Broadcast()
}

// links returns the connections of this moment.
func (e *core) links() []*Link {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]*Link, 0, e.count)
	for l := e.first; l != nil; l = l.next {
		all = append(all, l)
	}
	return all
}

// keep counts who needs the lot without being on the list.
func (e *core) addOtherUsers(change int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.otherUsers += change
	e.stopIfUnused()
}

// stopIfUnused ends the goroutines of the lot and of the clock when there is nobody left who could need them. e.mu is held.
func (e *core) stopIfUnused() {
	switch {
	case e.count > 0:
		return
	case e.draining.Load():
		e.clock.Finish()
	case e.otherUsers == 0:
		e.clock.StopIfIdle()
	}
	if e.lot != nil && e.otherUsers == 0 {
		e.lot.Close()
		e.lot = nil
	}
}

// openLot returns the engine's lot, nil where there can be none.
func (e *core) openLot() *lot.Lot {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lot == nil && sys.Available && (e.count > 0 || e.otherUsers > 0) {
		e.lot, _ = lot.Open()
	}
	return e.lot
}

// lotOf returns the lot if there is one.
func (e *core) lotOf() *lot.Lot {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.lot
}

// logPanic records a panic of the protocol; r is nil for runtime.Goexit.
func (e *core) logPanic(l *Link, r any) {
	e.stats.panics.Add(1)
	if r == nil {
		r = "runtime.Goexit"
	}
	e.cfg.Logger.Error("protocol panicked", slog.Any("panic", r), slog.Any("remote", l.RemoteAddr()),
		slog.String(defaults.StackKey, string(debug.Stack())))
}
