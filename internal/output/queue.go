// Package output is the queue of what a connection has to send. It takes whole units from any goroutine and sends them
// in that order, in as few writes as can be. At any time at most one flusher sends; it holds the bytes that it has
// taken, and what is appended meanwhile waits for the next batch.
//
//	        Write, Post ──► pending ──► batch ──► Sink
//	                           ▲          the flusher's
//	Source, when nothing waits ┘
//
// Who may flush stands in flush.go, who waits and what wakes them in wait.go.
package output

import (
	"net"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// GatherFrom is the size from which a write is sent from the caller's memory together with what is pending, instead of
// being copied to the queue.
const GatherFrom = 16 << 10

// wasteFrom is the size from which a lease that is much larger than what is in it does not wait for a slow peer.
const shrinkFrom = 64 << 10

// Queue is what a connection has to send. The zero Queue is ready. Its methods may be called concurrently.
type Queue struct {
	mu    sync.Mutex
	tail  []byte // pending: what was appended last; leased, nil when there is none
	extra *extra // what few queues need at a time; nil otherwise
	held  int32  // how many hold back what is appended
	Bound int32  // most bytes that may be pending; set before the first use

	flushing  bool        // somebody is the flusher
	flushHeld bool        // what is held back is to leave with the next flight of whoever flushes
	health    health      // whether something can be sent
	phase     phase       // how far our half of the stream is from its end
	tickAsked atomic.Bool // a flush has been asked for at the next tick; not under mu
}

// extra is what a queue has that somebody waits for, or that more than bytes of its own stand in.
type extra struct {
	err         error
	segs        []segment  // pending, before the tail
	size        int        // of segs
	room        *sync.Cond // made by the first who must wait
	waiters     int        // how many wait for room
	inParts     bool       // a message is being written in parts
	onRoom      []func()   // to be called when there is room
	source      Source     // Draw's, until the queue rests
	sourceReady bool       // source has something
	left        *Flight    // what a flusher has left; see Resume
}

// segment is a piece of what is pending: leased, or shared with other queues.
type segment struct {
	b      []byte
	shared *bufpool.Shared // nil: b is leased
}

func (g segment) release() {
	if g.shared != nil {
		g.shared.Release()
		return
	}
	bufpool.Put(g.b)
}

// land is release that notes whether the segment has left.
func (g segment) finish(sent bool) {
	if sent && g.shared != nil {
		g.shared.MarkSent()
	}
	g.release()
}

// health says whether something can be sent.
type health uint8

const (
	sound   health = iota
	failed         // nothing, any more; extra.err says why
	dropped        // and the connection is over: what is leased goes back
)

// phase says how far the end of our half of the stream is.
type phase uint8

const (
	open   phase = iota
	closed       // the last unit has been appended
	ended        // the last has been sent, over TLS with its closing alert; the end of the stream follows at once
)

// Unit says what a unit of the output is.
type Unit uint8

const (
	// Whole is a message in one unit. It waits while another one is being written in parts.
	Whole Unit = iota
	// Part is a part of the message whose turn it is, or what may stand between such parts.
	Part
	// Final is what may stand between parts, and the last unit of all: later ones fail with net.ErrClosed.
	Final
)

// more returns q's extra; q.mu is held.
func (q *Queue) ensureExtra() *extra {
	if q.extra == nil {
		q.extra = new(extra)
	}
	return q.extra
}

// Err returns what every write fails with, nil while writing works.
func (q *Queue) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.extra.failure()
}

// why returns what every write fails with.
func (x *extra) failure() error {
	if x == nil {
		return nil
	}
	return x.err
}

// Pending returns how many bytes wait for the flusher.
func (q *Queue) Pending() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pending()
}

// Unsent reports whether something waits to be sent, or is being sent.
func (q *Queue) Unsent() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.health == sound && (q.flushing || q.has())
}

func (q *Queue) pending() int {
	if q.extra != nil {
		return q.extra.size + len(q.tail)
	}
	return len(q.tail)
}

// full reports whether there is no room for a unit of size bytes. A unit that is larger than the bound has room in an
// empty queue.
func (q *Queue) full(size int) bool {
	n := q.pending()
	return n > 0 && n+size > int(q.Bound)
}

// parted reports whether a message is being written in parts.
func (x *extra) writingParts() bool { return x != nil && x.inParts }

// append appends a and b as one unit; q.mu is held.
func (q *Queue) append(u Unit, a, b []byte) {
	if u == Final {
		q.close()
	}
	need := len(a) + len(b)
	if q.tail == nil && need > shrinkFrom && q.flushing {
		q.tail = make([]byte, 0, need) // it waits, perhaps for long
	}
	if q.tail == nil && need > 0 {
		q.tail = bufpool.Get(max(need, GatherFrom/4))[:0]
	}
	if need += len(q.tail); need > cap(q.tail) {
		used := len(q.tail)
		q.tail = bufpool.Grow(q.tail, need)[:used]
	}
	q.tail = append(append(q.tail, a...), b...)
}

// share appends s, of which the queue becomes a holder; q.mu is held.
func (q *Queue) share(u Unit, s *bufpool.Shared) {
	if u == Final {
		q.close()
	}
	if len(s.Bytes()) == 0 {
		return
	}
	x := q.ensureExtra()
	if len(q.tail) > 0 {
		x.segs = append(x.segs, segment{b: q.tail})
		x.size += len(q.tail)
		q.tail = nil
	}
	x.segs = append(x.segs, segment{s.Bytes(), s.Retain()})
	x.size += len(s.Bytes())
}

// close notes that the unit that is appended is the last.
func (q *Queue) close() {
	if q.phase != open {
		return
	}
	q.phase = closed
	if q.extra != nil {
		// The source has nothing to say behind it, also one that is just being asked.
		q.extra.source, q.extra.sourceReady = nil, false
	}
	q.wake()
}

// Fail has every write fail with err from now on, unless they fail already.
func (q *Queue) Fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fail(err)
}

func (q *Queue) fail(err error) {
	if q.health != sound {
		return
	}
	q.health = failed
	x := q.ensureExtra()
	x.err = err
	if f := x.left; f != nil { // nobody will send it
		x.left = nil
		f.release(false)
		q.end()
	}
	q.wake()
}

// Rest reports whether nothing is on its way and nobody waits. Then it gives back what an idle connection does not need, and
// calls trim while nobody can become the flusher.
func (q *Queue) TrimIdle(trim func()) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.flushing || q.health != sound || q.held > 0 || q.has() || q.phase != open {
		return false
	}
	if x := q.extra; x != nil && (x.inParts || x.waiters > 0 || len(x.onRoom) > 0) {
		return false
	}
	q.extra = nil
	trim()
	return true
}

// Drop ends the queue of a connection that is over. What is pending is given back. It reports whether there is no flusher.
func (q *Queue) Drop() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fail(net.ErrClosed)
	q.health = dropped
	if !q.flushing {
		q.release()
	}
	return !q.flushing
}

// release gives back what is pending; there is no flusher. q.mu is held.
func (q *Queue) release() {
	bufpool.Put(q.tail)
	q.tail = nil
	if x := q.extra; x != nil {
		for _, g := range x.segs {
			g.release()
		}
		x.segs, x.size = nil, 0
		x.source, x.onRoom = nil, nil
	}
}
