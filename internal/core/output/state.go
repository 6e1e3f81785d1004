package output

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// state is what a queue holds, and what goroutines wait for. Its methods are called with the lock.
type state struct {
	mu    sync.Mutex
	next  *Flight // the pending output, to be sent next; nil if there is none
	extra *extra  // state that few queues need at a time, else nil
	held  int32   // how many Holds are in effect
	Bound int32   // limit of the pending bytes; set before the first use

	flushing  bool        // there is a flusher
	flushHeld bool        // the flusher sends the output held back, too, with its next flight
	dropped   bool        // the connection is closed: pooled buffers are released; failed is set, too
	phase     phase       // how close the write half is to its end
	failed    atomic.Bool // nothing can be sent any more; extra.err is the reason; set under mu, for good
	tickAsked atomic.Bool // a flush at the next tick has been requested; not guarded by mu
	mayTake   atomic.Bool // Take may find something: there was a Hold or a failure since it found nothing; set under mu
}

// extra is the state of a queue with waiters, a source, an error, or a flight that waits for room.
type extra struct {
	err      error
	room     *sync.Cond // created by the first goroutine that waits
	onRoom   []func()   // callbacks of OnRoom
	origin   origin     // set by Draw and DrawLent
	left     *Flight    // the flight kept by Leave
	finished int        // how many flights are finished
	waiters  int32      // how many goroutines wait for room
	inParts  bool       // a message is being written in parts
	ready    bool       // origin has output
	final    bool       // a Final unit has been appended: origin is not asked any more
}

// phase is how close the write half is to its end.
type phase uint8

const (
	open   phase = iota
	closed       // the last unit has been appended
	ended        // the last unit has been sent, over TLS with the closing alert; the end of the stream follows at once
)

// Unit is the kind of a unit of output.
type Unit uint8

const (
	// Whole is a complete message. It waits while another message is being written in parts.
	Whole Unit = iota
	// Part is a part of the message being written in parts, or a unit that is allowed between its parts.
	Part
	// Final is allowed between parts, and is the last unit: later ones fail with net.ErrClosed.
	Final
)

// ensureExtraLocked returns q.extra and creates it if necessary.
func (q *state) ensureExtraLocked() *extra {
	if q.extra == nil {
		q.extra = new(extra)
	}
	return q.extra
}

// failure returns the error with which every write fails.
func (x *extra) failure() error {
	if x == nil {
		return nil
	}
	return x.err
}

func (q *state) pendingLocked() int {
	if q.next == nil {
		return 0
	}
	return q.next.segsSize + len(q.next.tail)
}

// fullLocked reports whether there is no room for a unit of size bytes. A unit larger than the limit has room in an empty
// queue.
func (q *state) fullLocked(size int) bool {
	n := q.pendingLocked()
	return n > 0 && n+size > int(q.Bound)
}

// writingParts reports whether a message is being written in parts.
func (x *extra) writingParts() bool { return x != nil && x.inParts }

// appendLocked appends a and b as one unit.
func (q *state) appendLocked(u Unit, a, b []byte) {
	if u == Final {
		q.closeLocked()
	}
	size := len(a) + len(b)
	if size == 0 {
		return
	}
	f := q.ensureNextLocked()
	if len(f.tail)+size > cap(f.tail) {
		f.grow(size, q.flushing)
	}
	f.tail = append(append(f.tail, a...), b...)
}

// shareLocked appends s and retains it.
func (q *state) shareLocked(u Unit, s *bufpool.Shared) {
	if u == Final {
		q.closeLocked()
	}
	if len(s.Bytes()) > 0 {
		q.ensureNextLocked().share(s)
	}
}

// ensureNextLocked returns q.next and gets it from the pool if necessary. The caller must append output to it or take it from q.
func (q *state) ensureNextLocked() *Flight {
	if q.next == nil {
		q.next = flights.Get().(*Flight)
	}
	return q.next
}

// closeLocked notes that the unit being appended is the last.
func (q *state) closeLocked() {
	if q.phase != open {
		return
	}
	q.phase = closed
	if q.extra != nil {
		// The output of a source may not follow it, not even that of a source which is being asked now.
		q.extra.final, q.extra.ready = true, false
	}
	q.wakeLocked()
}

func (q *state) failLocked(err error) {
	if q.failed.Load() {
		return
	}
	x := q.ensureExtraLocked()
	x.err = err
	q.failed.Store(true)
	q.mayTake.Store(true)
	if f := x.left; f != nil { // no goroutine will send it
		x.left = nil
		f.release(false)
		q.endLocked()
	}
	q.wakeLocked()
}

// releaseLocked releases the pending output. There must be no flusher.
func (q *state) releaseLocked() {
	if q.next != nil {
		q.next.release(false)
		q.next = nil
	}
	if x := q.extra; x != nil {
		x.origin, x.onRoom = origin{}, nil
	}
}

// hasLocked reports whether there is output to send.
func (q *state) hasLocked() bool { return q.next != nil || q.extra != nil && q.extra.ready }

// endLocked notes that there is no flusher any more.
func (q *state) endLocked() {
	q.flushing = false
	q.wakeLocked()
	if q.dropped {
		q.releaseLocked()
	}
}

// inPiecesLocked reports whether the next batch consists of more than the tail and what follows it.
func (q *state) inPiecesLocked() bool {
	return q.next != nil && len(q.next.segs) > 0 || q.extra != nil && q.extra.ready
}

// wakeLocked wakes the goroutines that wait for room or their turn, and calls the callbacks of OnRoom on goroutines of their
// own if there is room. It is called when the flusher has sent a batch or is finished, when a message in parts is complete, when
// the last unit has been appended, and when writing has failed.
func (q *state) wakeLocked() {
	if q.extra != nil {
		q.wakeAllLocked(q.extra)
	}
}

func (q *state) wakeAllLocked(x *extra) {
	if x.room != nil {
		x.room.Broadcast()
	}
	if len(x.onRoom) == 0 || x.inParts && !q.failed.Load() || q.flushing && q.fullLocked(1) && !q.failed.Load() {
		return
	}
	told := x.onRoom
	x.onRoom = nil
	for _, f := range told {
		go f()
	}
}

// awaitLocked waits until wakeLocked is called or ctx is done. The lock is released while it waits.
func (q *state) awaitLocked(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x := q.ensureExtraLocked()
	if x.room == nil {
		x.room = sync.NewCond(&q.mu)
	}
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.wakeLocked()
		})()
	}
	x.waiters++
	x.room.Wait()
	x.waiters--
	return nil
}

// awaitFlusherLocked waits until there is no flusher, or writing has failed. The lock is released while it waits.
func (q *state) awaitFlusherLocked() {
	for !q.failed.Load() && q.flushing {
		q.awaitLocked(context.Background())
	}
}
