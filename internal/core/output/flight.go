package output

import (
	"sync"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// GatherFrom is the size from which a write is sent from the caller's memory, together with the pending output, instead
// of being copied to the queue.
const GatherFrom = 16 << 10

// firstTail is the smallest buffer of pending output. It is smaller than the buffers that connections receive into: a pool
// has one buffer of each size at hand, and a connection that responds needs both kinds at once.
const firstTail = 1 << 10

// keptTail is the largest buffer that a pooled Flight keeps: most responses fit into it.
const keptTail = 4 << 10

// shrinkFrom is the size from which a mostly empty buffer is replaced by a smaller one before it waits for a slow peer.
const shrinkFrom = 64 << 10

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

// Flight is a batch that is gathered, and then sent. The goroutine that gets a Flight is the flusher until it calls
// Finished or Leave. Flights are pooled, with a small buffer, and passed by address, to keep stack frames small: most of the
// memory of a waiting goroutine is its stack.
type Flight struct {
	transport.Batch
	Last       bool            // the end of the stream follows
	FromSource bool            // the queue has a source, in which more output may wait
	borrowed   bool            // B is memory of a caller that does not wait until it is sent
	segs       []segment       // pieces of output before the tail
	segsSize   int             // total size of segs
	tail       []byte          // from the pool
	tail2      []byte          // from the pool: after shrink, the rest of what one buffer would not fit well
	lent       [][]byte        // slices of a Lender, sent after the tail
	shared     *bufpool.Shared // the only unit of the batch, if it is a shared one
}

var flights = sync.Pool{New: func() any { return new(Flight) }}

// grow makes room for size more bytes in the tail. waits says that they may wait for long.
func (f *Flight) grow(size int, waits bool) {
	used := len(f.tail)
	if used == 0 && size > shrinkFrom && waits {
		bufpool.Put(f.tail)
		f.tail = make([]byte, 0, size)
		return
	}
	f.tail = bufpool.Grow(f.tail, max(used+size, firstTail))[:used]
}

// share appends s, which is not empty, and retains it.
func (f *Flight) share(s *bufpool.Shared) {
	if n := len(f.tail); n > 0 {
		f.segs, f.segsSize = append(f.segs, segment{b: f.tail}), f.segsSize+n
	} else {
		bufpool.Put(f.tail)
	}
	f.tail = nil
	f.segs, f.segsSize = append(f.segs, segment{s.Bytes(), s.Retain()}), f.segsSize+len(s.Bytes())
}

// release releases the buffers of f, and f. sent reports whether they have been sent.
func (f *Flight) release(sent bool) {
	if cap(f.tail) <= keptTail {
		bufpool.Poison(f.tail[:cap(f.tail)])
	} else {
		bufpool.Put(f.tail)
		f.tail = nil
	}
	bufpool.Put(f.tail2)
	if f.shared != nil {
		segment{shared: f.shared}.finish(sent)
	}
	for _, g := range f.segs {
		g.finish(sent)
	}
	clear(f.lent)
	*f = Flight{tail: f.tail[:0], lent: f.lent[:0]}
	flights.Put(f)
}

// assemble builds the batch from the pieces, followed by rest.
func (f *Flight) assemble(rest []byte) {
	if len(f.segs) == 0 { // all of the output is from the source
		f.A, f.B = f.tail, rest
		if len(f.lent) > 0 { // there is no rest then
			f.B, f.More = f.lent[0], f.lent[1:]
		}
		return
	}
	for _, g := range f.segs {
		f.More = append(f.More, g.b)
	}
	f.More = append(append(f.More, f.tail, rest), f.lent...)
}

// Borrow notes that the caller of Write does not wait until its memory is sent: Leave copies it. Among other pieces it is
// copied at once.
func (f *Flight) Borrow() {
	last := len(f.More) - 1
	if f.borrowed = last < 0 && len(f.B) > 0; last < 0 || len(f.lent) > 0 || len(f.More[last]) == 0 {
		return
	}
	rest := f.More[last]
	f.tail2 = append(bufpool.Get(len(rest))[:0], rest...)
	f.More[last] = f.tail2
}

// copyBorrowed replaces the caller's memory in f by a copy.
func (f *Flight) copyBorrowed() {
	if !f.borrowed {
		return
	}
	left := append(append(bufpool.Get(len(f.A) + len(f.B))[:0], f.A...), f.B...)
	bufpool.Put(f.tail)
	f.A, f.B, f.tail, f.borrowed = left, nil, left, false
}

// shrink moves the rest of f to smaller buffers if it wastes much of its buffer while it waits for a slow peer.
func (f *Flight) shrink() {
	if len(f.tail) == 0 {
		bufpool.Put(f.tail)
		f.tail = nil
	}
	if cap(f.tail) <= max(shrinkFrom, 2*len(f.A)) || len(f.segs) > 0 || len(f.B) > 0 || len(f.More) > 0 {
		return
	}
	left, most := f.A, len(f.A)
	switch { // a pooled buffer fits if at most half of it is unused
	case most <= shrinkFrom:
		f.A = append(bufpool.Get(most)[:0], left...)
	case most <= 2*shrinkFrom:
		f.A = append(bufpool.Get(shrinkFrom)[:0], left[:shrinkFrom]...)
		f.B = append(bufpool.Get(most - shrinkFrom)[:0], left[shrinkFrom:]...)
	case most <= 4*shrinkFrom:
		f.A = append(bufpool.Get(most)[:0], left...)
	default:
		f.A = append([]byte(nil), left...)
	}
	bufpool.Put(f.tail)
	f.tail, f.tail2 = f.A, f.B
}
