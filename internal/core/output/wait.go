package output

import (
	"context"
	"net"
	"sync"
)

// Waiting goroutines are woken when the flusher has sent a batch or has finished, when a message in parts is complete,
// when the last unit has been appended, and when writing has failed.

// wake wakes the goroutines that wait for room or their turn, and calls the callbacks of OnRoom on goroutines of their
// own if there is room. The caller must hold q.mu.
func (q *Queue) wake() {
	if q.extra != nil {
		q.wakeAll(q.extra)
	}
}

func (q *Queue) wakeAll(x *extra) {
	if x.room != nil {
		x.room.Broadcast()
	}
	if len(x.onRoom) == 0 || x.inParts && !q.failed.Load() || q.flushing && q.full(1) && !q.failed.Load() {
		return
	}
	told := x.onRoom
	x.onRoom = nil
	for _, f := range told {
		go f()
	}
}

// OnRoom calls f once, on a goroutine of its own, when it is worth trying to Post again: there is room and no message
// is being written in parts, or writing has failed.
func (q *Queue) OnRoom(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	x := q.ensureExtra()
	x.onRoom = append(x.onRoom, f)
	if !q.flushing || q.failed.Load() {
		q.wake()
	}
}

// await waits until wake is called or ctx is done. The caller must hold q.mu.
func (q *Queue) await(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x := q.ensureExtra()
	if x.room == nil {
		x.room = sync.NewCond(&q.mu)
	}
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.wake()
		})()
	}
	x.waiters++
	x.room.Wait()
	x.waiters--
	return nil
}

// BeginParts waits, until ctx is done, until no message is being written in parts and a part of size bytes would not
// have to wait. Then the caller's message begins: until EndParts, only the caller may write parts, and every Whole
// waits. BeginParts fails if writing has failed.
func (q *Queue) BeginParts(ctx context.Context, size int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.failed.Load() && q.phase == open {
		if !q.extra.writingParts() && !(q.flushing && (q.full(size) || size >= GatherFrom)) {
			q.ensureExtra().inParts = true
			return nil
		}
		if err := q.await(ctx); err != nil {
			return err
		}
	}
	if q.failed.Load() {
		return q.extra.failure()
	}
	return net.ErrClosed
}

// TryParts is BeginParts that does not wait. It reports success even if writing has failed.
func (q *Queue) TryParts() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	x := q.ensureExtra()
	begun := !x.inParts
	x.inParts = true
	return begun
}

// EndParts ends the message that BeginParts or TryParts began.
func (q *Queue) EndParts() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ensureExtra().inParts = false
	q.wake()
}
