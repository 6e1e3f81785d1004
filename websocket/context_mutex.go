package websocket

import (
	"context"
	"sync"
	"sync/atomic"
)

// turn is a lock that can also be waited for until a context ends.
type turn struct {
	sync.Mutex
	freed atomic.Pointer[chan struct{}] // closed with the next Unlock; made by who waits for that
}

// Unlock gives the turn to others.
func (t *turn) Unlock() {
	t.Mutex.Unlock()
	if t.freed.Load() != nil {
		t.tell()
	}
}

//go:noinline
func (t *turn) tell() {
	if freed := t.freed.Swap(nil); freed != nil {
		close(*freed)
	}
}

// LockContext is Lock until ctx ends; the error is ctx's.
func (t *turn) LockContext(ctx context.Context) error {
	for !t.TryLock() {
		fresh := make(chan struct{})
		freed := t.freed.Load()
		if freed == nil {
			if !t.freed.CompareAndSwap(nil, &fresh) {
				continue
			}
			freed = &fresh
		}
		if t.TryLock() { // it was given back before that could be seen
			return nil
		}
		select {
		case <-*freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
