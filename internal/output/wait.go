package output

import (
	"context"
	"net"
	"sync"
)

// Whoever waits is woken by wake: when the flusher has sent a batch or is none any more, when a message in parts is
// whole, when the last unit has been appended, and when writing has failed.

// wake has everybody look again who waits for room or a turn; q.mu is held, but not while those are called who asked with
// OnRoom.
func (q *Queue) wake() {
	x := q.extra
	if x == nil {
		return
	}
	if x.room != nil {
		x.room.Broadcast()
	}
	if len(x.onRoom) == 0 || x.inParts && q.health == sound || q.flushing && q.full(1) && q.health == sound {
		return
	}
	told := x.onRoom
	x.onRoom = nil
	for _, f := range told {
		go f()
	}
}

// OnRoom has f called, once and on a goroutine of its own, when it is worth trying to Post again: there is room and nobody's
// turn, or writing has failed.
func (q *Queue) OnRoom(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	x := q.ensureExtra()
	x.onRoom = append(x.onRoom, f)
	if !q.flushing || q.health != sound {
		q.wake()
	}
}

// await waits to be woken, or until ctx ends; q.mu is held.
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

// BeginParts waits until no message is being written in parts and a part of size bytes would not have to wait, or until
// ctx ends. Then the caller's message begins: until EndParts only it writes parts, and every Whole waits. It fails with
// what writing fails with.
func (q *Queue) BeginParts(ctx context.Context, size int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.health == sound && q.phase == open {
		if !q.extra.writingParts() && !(q.flushing && (q.full(size) || size >= GatherFrom)) {
			q.ensureExtra().inParts = true
			return nil
		}
		if err := q.await(ctx); err != nil {
			return err
		}
	}
	if q.health != sound {
		return q.extra.failure()
	}
	return net.ErrClosed
}

// TryParts is BeginParts that does not wait, and works even if nothing can be written any more.
func (q *Queue) TryParts() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	x := q.ensureExtra()
	begun := !x.inParts
	x.inParts = true
	return begun
}

// EndParts ends a message that was written in parts.
func (q *Queue) EndParts() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ensureExtra().inParts = false
	q.wake()
}
