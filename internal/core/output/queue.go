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
	"net"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// GatherFrom is the size from which a write is sent from the caller's memory, together with the pending output, instead
// of being copied to the queue.
const GatherFrom = 16 << 10

// firstTail is the smallest buffer of pending output. It is smaller than the buffers that connections receive into: a pool
// has one buffer of each size at hand, and a connection that answers needs both kinds at once.
const firstTail = 1 << 10

// keptTail is the largest buffer that a pooled Flight keeps: most answers fit into it.
const keptTail = 4 << 10

// shrinkFrom is the size from which a mostly empty buffer is replaced by a smaller one before it waits for a slow peer.
const shrinkFrom = 64 << 10

// Queue is the output queue of a connection. The zero Queue is ready for use. All methods may be called concurrently.
type Queue struct {
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
	err         error
	room        *sync.Cond // created by the first goroutine that waits
	waiters     int        // how many goroutines wait for room
	inParts     bool       // a message is being written in parts
	onRoom      []func()   // callbacks of OnRoom
	source      Source     // set by Draw
	sourceReady bool       // source has output
	final       bool       // a Final unit has been appended: source is not asked any more
	left        *Flight    // the flight kept by Leave
	landed      int        // how many flights have landed
}

// segment is a piece of pending output: a buffer from the pool, or one shared with other queues.
type segment struct {
	b      []byte
	shared *bufpool.Shared // nil: b is from the pool
}

func (g segment) release() {
	if g.shared != nil {
		g.shared.Release()
		return
	}
	bufpool.Put(g.b)
}

// finish is release for a segment that has been sent, or not.
func (g segment) finish(sent bool) {
	if sent && g.shared != nil {
		g.shared.MarkSent()
	}
	g.release()
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

// ensureExtra returns q.extra and creates it if necessary. The caller must hold q.mu.
func (q *Queue) ensureExtra() *extra {
	if q.extra == nil {
		q.extra = new(extra)
	}
	return q.extra
}

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

// failure returns the error with which every write fails.
func (x *extra) failure() error {
	if x == nil {
		return nil
	}
	return x.err
}

// Pending returns how many bytes wait for a flusher.
func (q *Queue) Pending() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pending()
}

// Unsent reports whether output waits to be sent or is being sent.
func (q *Queue) Unsent() bool {
	q.mu.Lock()
	unsent := !q.failed.Load() && (q.flushing || q.has())
	q.mu.Unlock()
	return unsent
}

func (q *Queue) pending() int {
	if q.next == nil {
		return 0
	}
	return q.next.segsSize + len(q.next.tail)
}

// full reports whether there is no room for a unit of size bytes. A unit larger than the limit has room in an empty
// queue.
func (q *Queue) full(size int) bool {
	n := q.pending()
	return n > 0 && n+size > int(q.Bound)
}

// writingParts reports whether a message is being written in parts.
func (x *extra) writingParts() bool { return x != nil && x.inParts }

// append appends a and b as one unit. The caller must hold q.mu.
func (q *Queue) append(u Unit, a, b []byte) {
	if u == Final {
		q.close()
	}
	size := len(a) + len(b)
	if size == 0 {
		return
	}
	f := q.ensureNext()
	if len(f.tail)+size > cap(f.tail) {
		f.grow(size, q.flushing)
	}
	f.tail = append(append(f.tail, a...), b...)
}

// share appends s and retains it. The caller must hold q.mu.
func (q *Queue) share(u Unit, s *bufpool.Shared) {
	if u == Final {
		q.close()
	}
	if len(s.Bytes()) > 0 {
		q.ensureNext().share(s)
	}
}

// ensureNext returns q.next and gets it from the pool if necessary. The caller must hold q.mu, and append output to it or
// take it from q.
func (q *Queue) ensureNext() *Flight {
	if q.next == nil {
		q.next = flights.Get().(*Flight)
	}
	return q.next
}

// close notes that the unit being appended is the last.
func (q *Queue) close() {
	if q.phase != open {
		return
	}
	q.phase = closed
	if q.extra != nil {
		// The output of a source may not follow it, not even that of a source which is being asked now.
		q.extra.final, q.extra.sourceReady = true, false
	}
	q.wake()
}

// Fail makes every later write fail with err, unless writes fail already.
func (q *Queue) Fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fail(err)
}

func (q *Queue) fail(err error) {
	if q.failed.Load() {
		return
	}
	x := q.ensureExtra()
	x.err = err
	q.failed.Store(true)
	q.mayTake.Store(true)
	if f := x.left; f != nil { // no goroutine will send it
		x.left = nil
		f.release(false)
		q.end()
	}
	q.wake()
}

// TrimIdle reports whether no output is pending or being sent and no goroutine waits. If so, it releases what an idle
// connection does not need, and calls trim while no goroutine can become the flusher.
func (q *Queue) TrimIdle(trim func()) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.flushing || q.failed.Load() || q.held > 0 || q.has() || q.phase != open {
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
	q.fail(net.ErrClosed)
	q.dropped = true
	if !q.flushing {
		q.release()
	}
	return !q.flushing
}

// release releases the pending output. There must be no flusher. The caller must hold q.mu.
func (q *Queue) release() {
	if q.next != nil {
		q.next.release(false)
		q.next = nil
	}
	if x := q.extra; x != nil {
		x.source, x.onRoom = nil, nil
	}
}
