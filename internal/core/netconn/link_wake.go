package netconn

import (
	"sync/atomic"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/lot"
	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// To get the attention of a connection's reader, a goroutine sets a flag or a deadline and then wakes the reader. A
// wake leaves a mark. The reader first clears the mark and then checks every flag, so no wake is lost; a superfluous
// wake only costs a check. The reader is woken by the clock (Expired), the lot (Event), Shutdown, Abort, a failed
// write, and every goroutine that sets a deadline.

// Deadline implements clock.Holder.
func (l *Link) Deadline() *clock.Deadline { return &l.deadline }

// Expired implements clock.Holder.
func (l *Link) Expired(now clock.Moment) (next clock.Moment) {
	if by := l.readBy.Load(); clock.Passed(by, now) {
		l.parent.wake()
		if !l.tr.Wakes() {
			l.tr.Disconnect() // a waiting goroutine would never return otherwise
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

// TimeLost implements clock.Loser: deadlines of users, and what the owner computes from them, have come closer.
func (l *Link) TimeLost() {
	if user := l.readDeadline(); user != 0 {
		for by := l.readBy.Load(); by > user && !l.readBy.CompareAndSwap(by, user); by = l.readBy.Load() {
		}
	}
	if user := l.writeDeadline(); user != 0 {
		l.checkWriterBy(user)
	}
	if _, looks := l.parent.owner().(EarlyAlarmer); looks {
		if at := l.alarm.Load(); at != 0 {
			l.alarm.CompareAndSwap(at, 1)
		}
	}
}

// SetAlarm calls the Alarm method of the connection's owner once after d, on a goroutine of its own, unless another
// alarm is set before. 0 cancels the alarm. It does nothing on a connection that has ended.
func (l *Link) SetAlarm(d time.Duration) {
	if d == 0 {
		l.alarm.Store(0)
		return
	}
	at := l.eng.clock.Now() + int64(d)
	l.alarm.Store(at)
	l.eng.clock.Arm(l, at)
}

// Alarmer is a Protocol or Owner that SetAlarm can be used with.
type Alarmer interface{ Alarm() }

// EarlyAlarmer is an Alarmer whose alarms stand for deadlines of users, too: these come closer when time is lost, so Alarm is
// called then, before its time, and computes anew when the next one is due. The alarms of others stay as far away as they were.
type EarlyAlarmer interface {
	Alarmer
	AlarmEarly()
}

// fireAlarm calls the owner's Alarm if it is due, and returns when to check again, 0 for never. The alarm of a
// connection that has no owner yet is kept until there is one.
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

// waitUntil stores the deadline of a wait, 0 for none, in field and arms the clock for it.
func (l *Link) waitUntil(field *atomic.Int64, at clock.Moment) {
	if at == 0 {
		field.Store(forever)
		return
	}
	field.Store(at)
	l.eng.clock.Arm(l, at)
}

// SetReadDeadline sets the deadline of reads, including one in progress; the zero time means none. On a Conn it is in
// effect until Data returns.
func (l *Link) SetReadDeadline(t time.Time) error {
	l.setReadDeadline(l.DueOf(t))
	return nil
}

// SetReadTimeout sets the read deadline to d from now; 0 means none. Time during which the process did not run does not
// count.
func (l *Link) SetReadTimeout(d time.Duration) {
	l.setReadDeadline(l.DueIn(d))
}

func (l *Link) setReadDeadline(at clock.Due) {
	l.ensureExtra().readBy.Store(int64(at))
	if l.readBy.Load() != 0 {
		l.parent.wake()
	}
}

// ReadExpired reports whether the read deadline has passed. A read fails then, even if there is input; a caller that takes
// input without waiting for it asks first.
func (l *Link) ReadExpired() bool {
	return l.extra.Load() != nil && clock.Passed(l.readDeadline(), l.eng.clock.Now())
}

// readDeadline returns the deadline set by SetReadDeadline, 0 for none.
func (l *Link) readDeadline() clock.Moment {
	if w := l.extra.Load(); w != nil {
		return l.eng.clock.Moment(clock.Due(w.readBy.Load()))
	}
	return 0
}

// Wakes reports whether a waiting reader can be interrupted without ending the connection. The deadlines of some
// connections do nothing.
func (l *Link) Wakes() bool { return l.tr.Wakes() }

// ask has the lot report the next of the events in what, once, in addition to the events asked for before. It returns
// false where there is no lot.
func (l *Link) ask(what lot.Event) bool { return l.hasAsked(what) || l.askFor(what, nil) }

// askRoom asks the lot for a writable event on behalf of a flusher that left unsent output. It runs once per message on
// a slow peer, so it does not allocate.
func (l *Link) askRoom(s *stall) bool { return l.hasAsked(lot.Room) || l.askFor(lot.Room, s) }

// hasAsked reports whether the lot has been asked for all of what and has reported none of it: Event clears the mark before
// it reports.
func (l *Link) hasAsked(what lot.Event) bool { return lot.Event(l.asked.Load())&what == what }

func (l *Link) askFor(what lot.Event, s *stall) bool {
	if !l.tr.Socket() {
		return false
	}
	in := l.eng.ensureLot()
	if in == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all := lot.Event(l.asked.Load()) | what
	if l.lotLeft || !in.Ask(&l.place, l, l.rawFor(s), all) {
		return false
	}
	l.asked.Store(uint32(all))
	return true
}

// forget drops what from the events that the lot has been asked for: they are reported no more. The caller must hold l.mu.
func (l *Link) forget(what lot.Event) { l.asked.And(^uint32(what)) }

// Event implements lot.Tenant. It runs on the lot's goroutine.
func (l *Link) Event(what lot.Event) {
	l.mu.Lock()
	asked := lot.Event(l.asked.Load())
	if what&(sys.HUP|sys.ERR) != 0 {
		what |= asked // nothing that is waited for will come any more
	}
	hit := asked & what
	left := asked &^ hit
	if what&lot.Gone != 0 {
		left &^= lot.Gone // Gone is permanent: it is reported once
	}
	l.asked.Store(uint32(left))
	var s *stall
	if hit&lot.Room != 0 {
		s = l.stall // nil if the connection has parked since
	}
	if in := l.eng.lot.Load(); left != 0 && in != nil {
		in.Ask(&l.place, l, l.rawFor(s), left)
	}
	l.mu.Unlock()
	if s != nil {
		go s.resume()
	}
	if hit&^lot.Room != 0 {
		l.parent.lotEvent(what)
	}
}

// rawFor returns the raw connection. With a stall s, it returns the one cached in s. The caller must hold l.mu.
func (l *Link) rawFor(s *stall) syscall.RawConn {
	if s == nil {
		return l.tr.Raw()
	}
	if s.raw == nil {
		s.raw = l.tr.Raw()
	}
	return s.raw
}

// leaveLot gives up the connection's place in the lot.
func (l *Link) leaveLot() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.place.Held() {
		l.eng.lot.Load().Leave(&l.place, l.tr.Raw())
	}
	l.asked.Store(0)
}
