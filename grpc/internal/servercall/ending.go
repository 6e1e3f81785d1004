package servercall

import (
	"context"
	"sync"
	"time"
)

// ending is how the context of a call ends: by its deadline, by a client that goes, or with the call. It watches for the
// first two from when somebody asks.
type ending struct {
	deadline time.Time // zero for none; not changed

	mu    sync.Mutex
	x     Exchange // nil once the call is over
	err   error
	done  chan struct{} // of Done; nil until it is asked for
	after map[*func()]struct{}
	watch struct {
		begun bool
		timer *time.Timer
		stop  func() bool
	}
}

// watchLocked begins to watch for the deadline and the client.
func (e *ending) watchLocked() {
	if e.watch.begun || e.err != nil || e.x == nil {
		return
	}
	e.watch.begun = true
	e.watch.stop = e.x.OnClientGone(func() { e.cancel(context.Canceled) })
	if !e.deadline.IsZero() {
		e.watch.timer = time.AfterFunc(time.Until(e.deadline), func() { e.cancel(context.DeadlineExceeded) })
	}
}

// cancel ends the context with err, unless it has ended.
func (e *ending) cancel(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cancelLocked(err)
}

func (e *ending) cancelLocked(err error) {
	if e.err != nil {
		return
	}
	e.err = err
	if e.done != nil {
		close(e.done)
	}
	for f := range e.after {
		go (*f)()
	}
	e.after = nil
	if e.watch.timer != nil {
		e.watch.timer.Stop()
	}
	if e.watch.stop != nil {
		e.watch.stop()
	}
}

// over ends the context with the call.
func (e *ending) over() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cancelLocked(context.Canceled)
	e.x = nil
}

// reason returns why the context has ended, nil if it has not. It is for who has met an error that may have that reason.
func (e *ending) reason() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil && !e.deadline.IsZero() && !time.Now().Before(e.deadline) {
		e.cancelLocked(context.DeadlineExceeded)
	}
	return e.err
}
