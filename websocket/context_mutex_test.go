package websocket

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A contextMutex is held by one goroutine at a time, and no waiter is forgotten.
func TestContextMutex(t *testing.T) {
	var (
		it    contextMutex
		held  int // guarded by it
		all   sync.WaitGroup
		turns int
	)
	for i := range 8 {
		all.Go(func() {
			for n := range 500 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n%50)*time.Microsecond)
				if i < 2 {
					it.Lock()
				} else if i < 4 {
					if err := it.LockContext(context.Background()); err != nil {
						t.Error(err)
					}
				} else if err := it.LockContext(ctx); err != nil {
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Error(err)
					}
					cancel()
					continue
				}
				if held++; held != 1 {
					t.Error("two goroutines hold the contextMutex")
				}
				turns++
				held--
				it.Unlock()
				cancel()
			}
		})
	}
	all.Wait()
	if turns < 4*500 {
		t.Errorf("%d turns", turns)
	}
	if !it.TryLock() {
		t.Error("the contextMutex is still held")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := it.LockContext(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("locked by another goroutine: %v", err)
	}
	it.Unlock()
}

// Each waiter with a context gets the contextMutex in turn.
func TestContextMutexWakesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var it contextMutex
		it.Lock()
		got := make(chan error, 3)
		for range cap(got) {
			go func() { got <- it.LockContext(ctx) }()
		}
		for n := range cap(got) {
			synctest.Wait()
			if len(got) != n {
				t.Fatalf("%d have had it, want %d", len(got), n)
			}
			it.Unlock()
		}
		synctest.Wait()
		for len(got) > 0 {
			if err := <-got; err != nil {
				t.Error(err)
			}
		}
		it.Unlock()
	})
}
