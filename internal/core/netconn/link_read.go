package netconn

import (
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// beginRead prepares a wait of the reader. It arms the read deadline and, unless pauses are allowed, the check of the
// minimum rate. It returns an error if the reader must not wait.
func (l *Link) beginRead(a *readAccount, pauses bool) (began clock.Moment, err error) {
	cfg := &l.eng.cfg
	for {
		now, user := l.eng.clock.Now(), l.readDeadline()
		if l.aborted() {
			return 0, ErrAbort
		}
		if clock.Passed(user, now) || !pauses && a.tooSlow(cfg) {
			return 0, l.slow()
		}
		at := user
		if cfg.MinReadRate > 0 && !pauses {
			at = clock.Earlier(at, now+int64(cfg.RateGrace)-a.waited)
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
func (l *Link) endRead(a *readAccount, began clock.Moment, n int, err error) (again bool, _ error) {
	l.readBy.Store(0)
	a.waited += l.eng.clock.Now() - began
	a.bytes += int64(n)
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
