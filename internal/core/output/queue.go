// Package output queues what a connection sends. It accepts whole units from any goroutine and sends them in order, in
// as few writes as possible. At most one goroutine, the flusher, sends at a time. It owns the bytes of its batch; units
// that are appended meanwhile wait for the next batch.
//
//	        Write, Post ──► pending ──► batch ──► socket
//	                           ▲          the flusher's
//	Source, if nothing waits ──┘
//
// flush.go says which goroutine may flush, wait.go which goroutines wait and what wakes them.
package output

import (
	"context"
	"net"
)

// Queue is the output queue of a connection. The zero Queue is ready for use. All methods may be called concurrently.
type Queue struct{ state }

// Err returns the error with which every write fails, nil while writing works. It is asked often, and takes the lock only
// after a failure.
func (q *Queue) Err() error {
	if !q.failed.Load() {
		return nil
	}
	return q.reason()
}

// reason is Err of a queue that has failed.
func (q *Queue) reason() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.extra.failure()
}

// Pending returns how many bytes wait for a flusher.
func (q *Queue) Pending() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pendingLocked()
}

// Unsent reports whether output waits to be sent or is being sent.
func (q *Queue) Unsent() bool {
	q.mu.Lock()
	unsent := !q.failed.Load() && (q.flushing || q.hasLocked())
	q.mu.Unlock()
	return unsent
}

// Fail makes every later write fail with err, unless writes fail already.
func (q *Queue) Fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.failLocked(err)
}

// TrimIdle reports whether no output is pending or being sent and no goroutine waits. If so, it releases what an idle
// connection does not need, and calls trim while no goroutine can become the flusher.
func (q *Queue) TrimIdle(trim func()) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.flushing || q.failed.Load() || q.held > 0 || q.hasLocked() || q.phase != open {
		return false
	}
	if x := q.extra; x != nil && (x.inParts || x.waiters > 0 || len(x.onRoom) > 0) {
		return false
	}
	q.extra = nil
	trim()
	return true
}

// Drop discards the output of a closed connection. It reports whether there is no flusher.
func (q *Queue) Drop() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.failLocked(net.ErrClosed)
	q.dropped = true
	if !q.flushing {
		q.releaseLocked()
	}
	return !q.flushing
}

// OnRoom calls f once, on a goroutine of its own, when it is worth trying to Post again: there is room and no message
// is being written in parts, or writing has failed.
func (q *Queue) OnRoom(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	x := q.ensureExtraLocked()
	x.onRoom = append(x.onRoom, f)
	if !q.flushing || q.failed.Load() {
		q.wakeLocked()
	}
}

// BeginParts waits, until ctx is done, until no message is being written in parts and a part of size bytes would not
// have to wait. Then the caller's message begins: until EndParts, only the caller may write parts, and every Whole
// waits. BeginParts fails if writing has failed.
func (q *Queue) BeginParts(ctx context.Context, size int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.failed.Load() && q.phase == open {
		if !q.extra.writingParts() && !(q.flushing && (q.fullLocked(size) || size >= GatherFrom)) {
			q.ensureExtraLocked().inParts = true
			return nil
		}
		if err := q.awaitLocked(ctx); err != nil {
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
	x := q.ensureExtraLocked()
	begun := !x.inParts
	x.inParts = true
	return begun
}

// EndParts ends the message that BeginParts or TryParts began.
func (q *Queue) EndParts() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ensureExtraLocked().inParts = false
	q.wakeLocked()
}
