package websocket

import (
	"context"
	"sync"
	"sync/atomic"
)

// contextMutex is a sync.Mutex that can also be locked with a context.
type contextMutex struct {
	sync.Mutex
	unlocked atomic.Pointer[chan struct{}] // closed by the next Unlock; made by a goroutine that waits for it
}

// Unlock unlocks t and wakes goroutines in LockContext.
func (t *contextMutex) Unlock() {
	t.Mutex.Unlock()
	if t.unlocked.Load() != nil {
		t.wakeWaiters()
	}
}

//go:noinline
func (t *contextMutex) wakeWaiters() {
	if freed := t.unlocked.Swap(nil); freed != nil {
		close(*freed)
	}
}

// LockContext locks t, or returns ctx's error if ctx is done first.
func (t *contextMutex) LockContext(ctx context.Context) error {
	for !t.TryLock() {
		fresh := make(chan struct{})
		freed := t.unlocked.Load()
		if freed == nil {
			if !t.unlocked.CompareAndSwap(nil, &fresh) {
				continue
			}
			freed = &fresh
		}
		if t.TryLock() { // unlocked before the holder could see the channel
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
