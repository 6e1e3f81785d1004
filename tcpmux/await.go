package tcpmux

import (
	"context"
	"os"
)

// awaitLocked waits on l until woken, until ctx is done, or until d has passed. It releases the lock meanwhile.
func (s *Session) awaitLocked(ctx context.Context, l *waitList, d *deadline) error {
	w := waiters.Get().(*waiter)
	l.push(w)
	var expired <-chan struct{}
	if d != nil {
		expired = d.expired()
	}
	s.unlock()
	var err error
	select {
	case <-w.ready:
		s.mu.Lock()
		waiters.Put(w)
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-expired:
		err = os.ErrDeadlineExceeded
	}
	s.mu.Lock()
	if !l.remove(w) {
		// It was woken meanwhile: pass that on to the next waiter.
		s.mu.Unlock()
		<-w.ready
		s.mu.Lock()
		s.wakeOne(l)
	}
	waiters.Put(w)
	return err
}
