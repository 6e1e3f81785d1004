package client

import (
	"context"
	"sync"
	"sync/atomic"
)

// life is how long the memory of an exchange is in use. It is used by the program until Close, by a read of the body, and
// by the goroutine that sends the request. After the last use recycle is called.
type life struct {
	uses    atomic.Int32
	closed  atomic.Bool
	sending sync.WaitGroup     // counts Request.Body while it is being sent
	cancel  context.CancelFunc // of the request's Timeout; nil without
	recycle func()
}

// begin starts the use of the program.
func (l *life) begin() {
	l.uses.Store(1)
	l.closed.Store(false)
}

// acquire registers another use and reports whether it is allowed.
func (l *life) acquire() bool {
	for {
		n := l.uses.Load()
		if n == 0 || l.closed.Load() {
			return false
		}
		if l.uses.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release is called once for each use when it is over.
func (l *life) release() {
	if l.uses.Add(-1) == 0 {
		l.recycle()
	}
}

// end ends the use of the program, after closed has been set. It waits until Request.Body is no longer being sent.
func (l *life) end() {
	if l.cancel != nil {
		l.cancel()
	}
	l.sending.Wait()
	l.release()
}
