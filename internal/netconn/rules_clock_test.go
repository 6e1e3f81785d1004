package netconn

import (
	"container/heap"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// stillClock returns a clock whose goroutine never starts, so that a test may take its steps one by one.
func stillClock() *clock {
	k := newClock()
	k.alive = true
	return k
}

// TestEarlierDeadlineStands: a reader and a flusher of one connection arm the clock at the same time. Who comes second
// to the clock's lock must look again: the later deadline must not take the place of the earlier one.
func TestEarlierDeadlineStands(t *testing.T) {
	const earlier, later = 1000, 2000
	for _, inHeap := range []bool{false, true} {
		k, c := stillClock(), &Conn{}
		if inHeap {
			k.arm(c, 3000)
		}
		k.mu.Lock()
		done := make(chan struct{})
		go func() {
			defer close(done)
			k.arm(c, later) // has found no deadline as early as its own, and waits for the lock
		}()
		WaitUntilBlocked(t, "sync.Mutex.Lock", "(*clock).arm")
		c.due.Store(earlier) // the other one had the lock
		if inHeap {
			heap.Fix(&k.due, c.dueIndex)
		} else {
			heap.Push(&k.due, c)
		}
		k.mu.Unlock()
		<-done
		if at := c.due.Load(); at != earlier {
			t.Errorf("the clock looks at %d, want %d", at, earlier)
		}
		if len(k.due) != 1 {
			t.Errorf("the connection is %d times in the heap", len(k.due))
		}
	}
}

// TestNoStaleTime: whoever finds the clock awake believes its time, so who wakes it must set the time first. One
// goroutine wakes it again and again after a sleep of an hour; another looks in the very moment it is awake.
func TestNoStaleTime(t *testing.T) {
	const hour = int64(time.Hour)
	k := stillClock()
	k.base = time.Now().Add(-time.Hour)
	var asleepFor, seen atomic.Int64
	var stale atomic.Int64
	const rounds = 20_000
	go func() {
		for round := int64(1); round <= rounds; round++ {
			for asleepFor.Load() != round || k.mode.Load() != asked {
				if asleepFor.Load() != round {
					runtime.Gosched()
				}
			}
			if k.now.Load() < hour {
				stale.Add(1)
			}
			seen.Store(round)
		}
	}()
	for round := int64(1); round <= rounds; round++ {
		k.now.Store(1)
		k.mode.Store(asleep)
		asleepFor.Store(round)
		if k.time() < hour {
			t.Fatal("who wakes the clock is told an old time")
		}
		for seen.Load() != round {
			runtime.Gosched()
		}
	}
	if n := stale.Load(); n > 0 {
		t.Errorf("%d of %d times the clock was awake and its time an hour old", n, rounds)
	}
}

// TestTimeNeverGoesBack: a goroutine that asked the system for the time and was held up before it told the clock does
// not take back what a faster one has told meanwhile.
func TestTimeNeverGoesBack(t *testing.T) {
	k := stillClock()
	early, late := k.base.Add(time.Second), k.base.Add(2*time.Second)
	k.set(late)
	k.set(early)
	if now := time.Duration(k.now.Load()); now != 2*time.Second {
		t.Errorf("the clock says %v, and has said 2s before", now)
	}
	if wall := time.Unix(0, k.now.Load()+k.wall.Load()); !wall.Equal(late) {
		t.Errorf("the clock says %v, want %v", wall, late)
	}
}
