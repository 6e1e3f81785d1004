package netconn

import (
	"sync/atomic"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/clock"
	"github.com/shockwave-go/shockwave/internal/lot"
	"github.com/shockwave-go/shockwave/internal/sys"
)

// Who wakes whom. Whoever wants something of a connection's reader sets a flag or a deadline and then wakes it; the
// reader takes the mark of that back first and looks at every flag afterwards, so none is lost, and one wake too many
// costs a look around. Wakes come from the clock (Expired), the lot (Event), Shutdown, Abort, a failed write, and
// whoever sets a deadline.

// Deadline implements clock.Holder.
func (l *Link) Deadline() *clock.Deadline { return &l.deadline }

// Expired implements clock.Holder.
func (l *Link) Expired(now clock.Moment) (next clock.Moment) {
	if by := l.readBy.Load(); clock.Passed(by, now) {
		l.parent.wake()
		if !l.tr.Wakes() {
			l.tr.Disconnect() // whoever waits would do so for ever
		}
	} else if by != forever {
		next = by
	}
	if by := l.writeBy.Load(); clock.Passed(by, now) {
		next = clock.Earlier(next, l.checkWriter(now))
	} else if by != forever {
		next = clock.Earlier(next, by)
	}
	if l.alarm.Load() != 0 {
		next = clock.Earlier(next, l.fireAlarm(now))
	}
	return next
}

// SetAlarm has the owner's Alarm called once after d, on a goroutine of its own, unless another alarm is set before. 0
// takes the alarm back.
func (l *Link) SetAlarm(d time.Duration) {
	if d == 0 {
		l.alarm.Store(0)
		return
	}
	at := l.eng.clock.Now() + int64(d)
	l.alarm.Store(at)
	l.eng.clock.Arm(l, at)
}

// Alarmer is an owner that SetAlarm is for.
type Alarmer interface{ Alarm() }

// ring tells the owner if its alarm has come, and returns when it will. An alarm that was set by who begins the connection
// waits for the owner.
func (l *Link) fireAlarm(now clock.Moment) clock.Moment {
	at := l.alarm.Load()
	if !clock.Passed(at, now) {
		return at
	}
	owner := l.parent.owner()
	if owner == nil || !l.alarm.CompareAndSwap(at, 0) {
		return now + int64(clock.Tick)
	}
	if a, ok := owner.(Alarmer); ok {
		go a.Alarm()
	}
	return 0
}

// waitUntil stores the deadline of a wait, 0 for none, and sees to it that the clock knows.
func (l *Link) waitUntil(field *atomic.Int64, at clock.Moment) {
	if at == 0 {
		field.Store(forever)
		return
	}
	field.Store(at)
	l.eng.clock.Arm(l, at)
}

// SetReadDeadline bounds reads of the connection, also one under way; the zero time is none. On a Conn it ends with Data.
func (l *Link) SetReadDeadline(t time.Time) error {
	l.ensureExtra().readBy.Store(l.eng.clock.At(t))
	if l.readBy.Load() != 0 {
		l.parent.wake()
	}
	return nil
}

// readDeadline is what was set, 0 for none.
func (l *Link) readDeadline() clock.Moment {
	if w := l.extra.Load(); w != nil {
		return w.readBy.Load()
	}
	return 0
}

// Wakes reports whether whoever reads can be called away without the connection's end: of some connections deadlines do nothing.
func (l *Link) Wakes() bool { return l.tr.Wakes() }

// ask has the lot tell of what, once, besides what it was asked for before. It reports false where there is no lot.
func (l *Link) ask(what lot.Event) bool { return l.askFor(what, nil) }

// askRoom is ask of room for what the flusher has left, who may do so for every message: it allocates nothing.
func (l *Link) askRoom(s *stall) bool { return l.askFor(lot.Room, s) }

func (l *Link) askFor(what lot.Event, s *stall) bool {
	if !l.tr.Socket() {
		return false
	}
	lot := l.eng.openLot()
	if lot == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lotLeft {
		return false
	}
	if l.asked&what == what {
		return true // from before: nothing of it has happened since
	}
	l.asked |= what
	if !lot.Ask(&l.place, l, l.rawFor(s), l.asked) {
		l.asked &^= what
		return false
	}
	return true
}

// Event implements lot.Tenant.
func (l *Link) Event(what lot.Event) {
	l.mu.Lock()
	if what&(sys.HUP|sys.ERR) != 0 {
		what |= l.asked // whoever waits for anything will not get it
	}
	hit := l.asked & what
	l.asked &^= hit
	if what&lot.Gone != 0 {
		l.asked &^= lot.Gone // it stays so: it is told once
	}
	if l.asked != 0 {
		var s *stall
		if hit&lot.Room != 0 {
			s = l.stall
		}
		if lot := l.eng.lotOf(); lot != nil {
			lot.Ask(&l.place, l, l.rawFor(s), l.asked)
		}
	}
	var s *stall
	if hit&lot.Room != 0 {
		s = l.stall // nil if the connection has parked since
	}
	l.mu.Unlock()
	if s != nil {
		go s.resume()
	}
	if hit&^lot.Room != 0 {
		l.parent.lotEvent(what)
	}
}

// rawFor returns the raw connection: for a flusher who waits, s, always the same. l.mu is held.
func (l *Link) rawFor(s *stall) syscall.RawConn {
	if s == nil {
		return l.tr.Raw()
	}
	if s.raw == nil {
		s.raw = l.tr.Raw()
	}
	return s.raw
}

// leaveLot gives up the connection's place.
func (l *Link) leaveLot() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.place.Held() {
		l.eng.lotOf().Leave(&l.place, l.tr.Raw())
	}
	l.asked = 0
}
