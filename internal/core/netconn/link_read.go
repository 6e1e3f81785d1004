package netconn

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/peerrate"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// beginRead prepares a wait of the reader. It arms the read deadline and, unless pauses are allowed, the check of the
// minimum rate. It returns an error if the reader must not wait.
func (l *Link) beginRead(a *peerrate.Reads, pauses bool) (began clock.Moment, err error) {
	rates := &l.eng.rates
	for {
		now, user := l.eng.clock.Now(), l.readDeadline()
		if l.aborted() {
			return 0, ErrAbort
		}
		if clock.Passed(user, now) || !pauses && a.TooSlow(rates) {
			return 0, l.slow()
		}
		at := user
		if !pauses {
			at = clock.Earlier(at, a.Due(rates, now))
		}
		l.waitUntil(&l.readBy, at)
		if l.readDeadline() == user {
			return now, nil
		}
		// loop: the deadline was changed by a goroutine that did not yet see this wait
	}
}

// endRead takes the result of a read, n and err. again reports that the wait was only interrupted by a wake: the reader
// checks its flags and reads again.
func (l *Link) endRead(a *peerrate.Reads, began clock.Moment, n int, err error) (again bool, _ error) {
	l.readBy.Store(0)
	a.Add(l.eng.clock.Now()-began, n)
	switch {
	case n > 0:
		return false, nil
	case err == nil:
		return true, nil
	case l.aborted():
		return false, ErrAbort
	case transport.TimedOut(err) && l.tr.ReaderWoken():
		return true, nil
	case clock.Passed(l.readDeadline(), l.eng.clock.Now()) && !l.tr.Wakes():
		return true, nil // Expired has disconnected a transport that cannot be woken
	}
	return false, err
}

// read reads from the transport. It waits until there is input.
func (l *Link) read(p []byte) (int, error) {
	n, err := l.tr.Read(p)
	l.eng.stats.in(l.tr.Received(n))
	if l.tr.TLSWrote() {
		l.flush(l.out.TakeNone(), flushTry)
	}
	return n, err
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
	if x := l.extra.Load(); x != nil {
		return l.eng.clock.Moment(clock.Due(x.readBy.Load()))
	}
	return 0
}
