package netconn

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
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
	l.arm(at)
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
