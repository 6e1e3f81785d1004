package output

import (
	"context"
	"net"
	"sync"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// Flight is a batch that is gathered, and then sent. The goroutine that gets a Flight is the flusher until it calls
// Landed or Leave. Flights are pooled, with a small buffer, and passed by address, to keep stack frames small: most of the
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

// begin makes the caller the flusher of the pending output, followed by rest. There must be no flusher. The caller must
// hold q.mu.
func (q *Queue) begin(rest []byte) *Flight {
	q.flushing, q.flushHeld = true, false
	f, x := q.ensureNext(), q.extra
	q.next = nil
	f.FromSource = x != nil && x.source != nil
	if len(f.segs) > 0 || x != nil && x.sourceReady {
		f.gather(q, rest)
	} else {
		f.A, f.B = f.tail, rest
	}
	return f
}

// gather builds the batch when there are segments or the source has output.
func (f *Flight) gather(q *Queue, rest []byte) {
	if q.extra != nil && q.extra.sourceReady && len(rest) == 0 { // rest belongs to the unit at the end of the tail
		f.draw(q)
	}
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

// Landed reports that f has been sent, or that sending failed with failure. f is nil after Exclude. If more output may
// be sent, Landed returns it as next and the caller remains the flusher. If not, there is no flusher any more, and err
// is the error with which every write fails, nil while writing works. broke reports that writing has failed because of
// this flight.
func (q *Queue) Landed(f *Flight, failure error) (next *Flight, broke bool, err error) {
	q.mu.Lock()
	if failure != nil && !q.failed.Load() {
		q.fail(failure)
		broke = true
	}
	if q.extra != nil {
		q.extra.landed++
	}
	last := false
	if f != nil {
		last = f.Last
		f.release(failure == nil)
	}
	if !q.failed.Load() && (q.held == 0 || q.flushHeld) && q.has() {
		next = q.begin(nil)
		q.wake()
	} else {
		q.flushHeld = false
		if last && !q.failed.Load() {
			q.phase = ended
		}
		q.end()
		err = q.extra.failure()
	}
	q.mu.Unlock()
	return next, broke, err
}

// has reports whether there is output to send.
func (q *Queue) has() bool { return q.next != nil || q.extra != nil && q.extra.sourceReady }

// end notes that there is no flusher any more. The caller must hold q.mu.
func (q *Queue) end() {
	q.flushing = false
	q.wake()
	if q.dropped {
		q.release()
	}
}

// Leave keeps f, of which a rest has not been sent, for Resume. The queue counts as being flushed meanwhile, without a
// goroutine.
func (q *Queue) Leave(f *Flight) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed.Load() {
		f.release(false)
		q.end()
		return
	}
	f.copyBorrowed()
	f.shrink()
	q.ensureExtra().left = f
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

// Resume makes the caller the flusher of the flight kept by Leave. It returns nil if there is none any more.
func (q *Queue) Resume() (f *Flight) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.extra != nil {
		f, q.extra.left = q.extra.left, nil
	}
	return f
}

// Left reports whether Leave has kept a flight.
func (q *Queue) Left() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.extra != nil && q.extra.left != nil
}

// take makes the caller the flusher of the pending output, if there is any and there is no flusher. Output that is held
// back is taken only if held is true. The caller must hold q.mu.
func (q *Queue) take(held bool) *Flight {
	if q.failed.Load() || q.flushing || !q.has() || q.held > 0 && !held {
		return nil
	}
	return q.begin(nil)
}

// Take makes the caller the flusher of the pending output, held back or not. If there is a flusher, that one will send
// it.
func (q *Queue) Take() (*Flight, error) {
	if !q.mayTake.Load() {
		return nil, nil // output that nobody has held back has a flusher
	}
	return q.takeHeld()
}

func (q *Queue) takeHeld() (f *Flight, err error) {
	q.mu.Lock()
	q.flushHeld = q.flushing && q.has()
	f, err = q.take(true), q.extra.failure()
	q.mayTake.Store(q.held > 0 || err != nil)
	q.mu.Unlock()
	return f, err
}

// TakeNone makes the caller the flusher even if no output is pending: the transport has output of its own. If there is
// a flusher, that one sends it.
func (q *Queue) TakeNone() *Flight {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed.Load() || q.flushing {
		return nil
	}
	return q.begin(nil)
}

// Hold holds back output that is appended, until Release or ReleaseTake has been called as often as Hold.
func (q *Queue) Hold() {
	q.mu.Lock()
	q.held++
	if !q.mayTake.Load() {
		q.mayTake.Store(true)
	}
	q.mu.Unlock()
}

// Release ends a Hold. After the last one, the output held back is sent together with the next unit.
func (q *Queue) Release() {
	q.mu.Lock()
	q.held--
	q.mu.Unlock()
}

// ReleaseTake ends a Hold. After the last one, the caller becomes the flusher of the output held back.
func (q *Queue) ReleaseTake() (f *Flight, err error) {
	q.mu.Lock()
	q.held--
	f, err = q.take(false), q.extra.failure()
	q.mu.Unlock()
	return f, err
}

// NeedsTick reports whether output is pending for which no flush at the next tick has been requested. Until EndTick
// it returns true only once.
func (q *Queue) NeedsTick() bool {
	if q.tickAsked.Load() {
		return false // EndTick is still to be called, and finds what has been appended by now
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.has() && !q.tickAsked.Swap(true)
}

// EndTick is called when the tick that NeedsTick requested has come. It reports whether output is pending, which the caller
// must then Take. No source is asked.
func (q *Queue) EndTick() bool {
	q.tickAsked.Store(false)
	q.mu.Lock()
	pending := q.has()
	q.mu.Unlock()
	return pending
}

// Drain waits until there is no flusher and makes the caller the flusher of the pending output. It returns nil if there
// is none.
func (q *Queue) Drain() (*Flight, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.drain()
}

// awaitFlusher waits until there is no flusher, or writing has failed. The caller must hold q.mu, which is released while
// it waits.
func (q *Queue) awaitFlusher() {
	for !q.failed.Load() && q.flushing {
		q.await(context.Background())
	}
}

func (q *Queue) drain() (*Flight, error) {
	q.awaitFlusher()
	return q.take(true), q.extra.failure()
}

// AwaitFlight waits until a flight that Leave has kept has landed, or ctx is done. It returns ctx's error, or the error with
// which every write fails.
func (q *Queue) AwaitFlight(ctx context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.extra == nil {
		return nil
	}
	for before := q.extra.landed; q.extra != nil && q.flushing && !q.failed.Load() && q.extra.landed == before; {
		if err := q.await(ctx); err != nil {
			return err
		}
	}
	return q.extra.failure()
}

// Settle waits until there is no flusher, and reports whether all output has been sent.
func (q *Queue) Settle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.awaitFlusher()
	return !q.failed.Load() && !q.has()
}

// Exclude makes the caller the flusher of data that is not in the queue. As long as it returns a flight, the caller
// must send that and call Exclude again.
func (q *Queue) Exclude() (*Flight, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	f, err := q.drain()
	switch {
	case f != nil || err != nil:
	case q.phase != open:
		err = net.ErrClosed
	default:
		q.flushing = true
	}
	return f, err
}

// Seal makes every later write fail with err, at a moment when no output is pending. As long as it returns a flight,
// the caller must send that and call Seal again.
func (q *Queue) Seal(err error) (*Flight, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	f, failure := q.drain()
	if f == nil && failure == nil {
		q.fail(err)
	}
	return f, failure
}

// End makes units that are appended later fail with net.ErrClosed, and returns the output that precedes the end of the
// stream. If Last is set, the end of the stream must follow at once. As long as End returns a flight, the caller must
// send that and call End again.
func (q *Queue) End() (*Flight, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.phase == open {
		q.phase = closed
		q.wake()
	}
	q.awaitFlusher()
	if q.failed.Load() || q.phase == ended {
		return nil, q.extra.failure()
	}
	f := q.begin(nil)
	f.Last = q.extra == nil || !q.extra.sourceReady
	return f, nil
}
