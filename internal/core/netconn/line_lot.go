package netconn

import (
	"sync/atomic"
	"syscall"

	"github.com/shockwave-go/shockwave/internal/core/lot"
	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// seat is a connection's place in the lot, and what the lot has been asked for. line.mu guards it.
type seat struct {
	place lot.Place
	asked atomic.Uint32 // the events that the lot has been asked for and has not reported; set under line.mu
	left  bool          // the connection has left the lot for good
}

// has reports whether the lot has been asked for all of what and has reported none of it. It may be called without the lock:
// takeLocked clears the mark before the event is reported.
func (s *seat) has(what lot.Event) bool { return lot.Event(s.asked.Load())&what == what }

// forgetLocked drops what from the events that the lot has been asked for: they are reported no more.
func (s *seat) forgetLocked(what lot.Event) { s.asked.And(^uint32(what)) }

// takeLocked takes an event: hit is the part of it that was asked for, left are the events that are still to be reported.
func (s *seat) takeLocked(what lot.Event) (event, hit, left lot.Event) {
	asked := lot.Event(s.asked.Load())
	if what&(sys.HUP|sys.ERR) != 0 {
		what |= asked // nothing that is waited for will come any more
	}
	hit = asked & what
	left = asked &^ hit
	if what&lot.Gone != 0 {
		left &^= lot.Gone // Gone is permanent: it is reported once
	}
	s.asked.Store(uint32(left))
	return what, hit, left
}

// ask makes the lot report the next of the events in what, once, in addition to the events asked for before. It returns
// false where there is no lot.
func (l *line) ask(what lot.Event) bool { return l.seat.has(what) || l.askFor(what, nil) }

// askFor is ask if one of the events has not been asked for yet. cache, if not nil, keeps the raw connection between calls; it
// is guarded by l.mu.
func (l *line) askFor(what lot.Event, cache *syscall.RawConn) bool {
	if !l.tr.Socket() {
		return false
	}
	in := l.eng.ensureLot()
	if in == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all := lot.Event(l.seat.asked.Load()) | what
	if l.seat.left || !in.Ask(&l.seat.place, l.parent, l.rawLocked(cache), all) {
		return false
	}
	l.seat.asked.Store(uint32(all))
	return true
}

// rawLocked returns the raw connection, the one in cache if that is not nil.
func (l *line) rawLocked(cache *syscall.RawConn) syscall.RawConn {
	if cache == nil {
		return l.tr.Raw()
	}
	if *cache == nil {
		*cache = l.tr.Raw()
	}
	return *cache
}

// forget drops what from the events that the lot has been asked for.
func (l *line) forget(what lot.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seat.forgetLocked(what)
}

// leaveLot gives up the connection's place in the lot.
func (l *line) leaveLot() { l.vacate(false) }

// vacate gives up the connection's place in the lot, with forGood for ever.
func (l *line) vacate(forGood bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seat.left = l.seat.left || forGood
	if l.seat.place.Held() {
		l.eng.lot.Load().Leave(&l.seat.place, l.tr.Raw())
	}
	l.seat.asked.Store(0)
}
