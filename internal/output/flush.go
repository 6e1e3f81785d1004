package output

import (
	"context"
	"net"
	"sync"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/transport"
)

// Flight is a batch on its way. Whoever is given one is the flusher until Landed or Leave. Flights are pooled, and handed
// on by their address: the stack of a goroutine that reads and writes is most of what it holds while it waits.
type Flight struct {
	transport.Batch
	Last       bool            // the end of the stream follows
	FromSource bool            // a source gives what the queue sends: what it has not given waits with it
	borrowed   bool            // the batch's B is somebody's who does not wait for it to leave
	lent       [][]byte        // a Lender's, behind the tail
	tail       []byte          // leased
	tail2      []byte          // leased: what is left of more than one lease would do for
	segs       []segment       // of the batch
	shared     *bufpool.Shared // all of the batch, if it is one unit that is shared
}

var flights = sync.Pool{New: func() any { return new(Flight) }}

// land gives back what f was made of, and f. sent says that it has left.
func (f *Flight) release(sent bool) {
	bufpool.Put(f.tail)
	bufpool.Put(f.tail2)
	if f.shared != nil {
		segment{shared: f.shared}.finish(sent)
	}
	for _, g := range f.segs {
		g.finish(sent)
	}
	clear(f.lent)
	*f = Flight{lent: f.lent[:0]}
	flights.Put(f)
}

// begin makes the caller the flusher, of what is pending and then of rest. There must be none. q.mu is held.
func (q *Queue) begin(rest []byte) *Flight {
	q.flushing, q.flushHeld = true, false
	f := flights.Get().(*Flight)
	f.tail, q.tail = q.tail, nil
	x := q.extra
	f.FromSource = x != nil && x.source != nil
	if x != nil && (len(x.segs) > 0 || x.sourceReady) {
		f.gather(q, rest)
	} else {
		f.A, f.B = f.tail, rest
	}
	return f
}

// gather is begin's where more than bytes of the queue's own is pending.
func (f *Flight) gather(q *Queue, rest []byte) {
	x := q.extra
	f.segs, x.segs, x.size = x.segs, nil, 0
	if x.sourceReady && len(rest) == 0 { // which belongs to the unit at the end of the tail
		f.draw(q)
	}
	if len(f.segs) == 0 { // a source has given it all
		f.A, f.B = f.tail, rest
		if len(f.lent) > 0 { // and there is no rest
			f.B, f.More = f.lent[0], f.lent[1:]
		}
		return
	}
	for _, g := range f.segs {
		f.More = append(f.More, g.b)
	}
	f.More = append(append(f.More, f.tail, rest), f.lent...)
}

// Landed says that f has left, or what sending it failed with; f is nil for who has excluded others. It returns what the
// caller, who still is the flusher then, is to send next: what has been appended meanwhile, unless that is held back.
// Without that there is no flusher any more, and err is what every write fails with, nil while writing works. broke tells
// that it works no longer because of this flight.
func (q *Queue) Landed(f *Flight, failure error) (next *Flight, broke bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if failure != nil && q.health == sound {
		q.fail(failure)
		broke = true
	}
	last := f != nil && f.Last
	if f != nil {
		f.release(failure == nil)
	}
	if q.health == sound && (q.held == 0 || q.flushHeld) && q.has() {
		next = q.begin(nil)
		q.wake()
		return next, false, nil
	}
	q.flushHeld = false
	if last && q.health == sound {
		q.phase = ended
	}
	q.end()
	return nil, broke, q.extra.failure()
}

// has reports whether there is something to send.
func (q *Queue) has() bool { return q.pending() > 0 || q.extra != nil && q.extra.sourceReady }

// end says that there is no flusher any more; q.mu is held.
func (q *Queue) end() {
	q.flushing = false
	q.wake()
	if q.health == dropped {
		q.release()
	}
}

// Leave keeps f, of which not all was taken, for Resume. There still is a flusher meanwhile, which is nobody's goroutine.
func (q *Queue) Leave(f *Flight) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.health != sound {
		f.release(false)
		q.end()
		return
	}
	f.copyBorrowed()
	f.shrink()
	q.ensureExtra().left = f
}

// own has f hold a copy of what was lent to it.
func (f *Flight) copyBorrowed() {
	if !f.borrowed {
		return
	}
	left := append(append(bufpool.Get(len(f.A) + len(f.B))[:0], f.A...), f.B...)
	bufpool.Put(f.tail)
	f.A, f.B, f.tail, f.borrowed = left, nil, left, false
}

// fit has f, which waits for a slow peer, hold no more than what is left to send of its bytes.
func (f *Flight) shrink() {
	if cap(f.tail) <= max(shrinkFrom, 2*len(f.A)) || len(f.segs) > 0 || len(f.B) > 0 || len(f.More) > 0 {
		return
	}
	left, most := f.A, len(f.A)
	switch { // what has been leased fits when no more than half of it lies idle
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

// Resume makes the caller the flusher of what Leave has kept, if that still waits.
func (q *Queue) Resume() (f *Flight) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.extra != nil {
		f, q.extra.left = q.extra.left, nil
	}
	return f
}

// Left reports whether Leave has kept something.
func (q *Queue) Left() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.extra != nil && q.extra.left != nil
}

// take makes the caller the flusher of what is pending, if there is something and nobody flushes: held back or not, or only
// if it is not. q.mu is held.
func (q *Queue) take(held bool) *Flight {
	if q.health != sound || q.flushing || !q.has() || q.held > 0 && !held {
		return nil
	}
	return q.begin(nil)
}

// Take makes the caller the flusher of what is pending, held back or not. Whoever is the flusher already goes on with that.
func (q *Queue) Take() (*Flight, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.flushHeld = q.flushing && q.has()
	return q.take(true), q.extra.failure()
}

// TakeNone makes the caller the flusher even if nothing is pending: the transport has something to say itself. If
// somebody else is the flusher that one says it.
func (q *Queue) TakeNone() *Flight {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.health != sound || q.flushing {
		return nil
	}
	return q.begin(nil)
}

// Hold keeps back what is appended, until as many calls of Release or ReleaseTake.
func (q *Queue) Hold() {
	q.mu.Lock()
	q.held++
	q.mu.Unlock()
}

// Release ends a Hold. What was kept back leaves, after the last, with the next unit.
func (q *Queue) Release() {
	q.mu.Lock()
	q.held--
	q.mu.Unlock()
}

// ReleaseTake ends a Hold. After the last it makes the caller the flusher of what was kept back.
func (q *Queue) ReleaseTake() (*Flight, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.held--; q.held > 0 {
		return nil, q.extra.failure()
	}
	return q.take(true), q.extra.failure()
}

// Late tells, once until TakeLate, that something is pending for which nobody has asked the clock yet.
func (q *Queue) NeedsTick() bool {
	if q.tickAsked.Load() {
		return false // TakeLate is still to come, and takes what has been appended by now
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.has() && !q.tickAsked.Swap(true)
}

// TakeLate is Take for the clock.
func (q *Queue) TakeAtTick() *Flight {
	q.tickAsked.Store(false)
	f, _ := q.Take()
	return f
}

// Drain waits until nobody flushes and makes the caller the flusher of what is pending. It returns nil when there is
// nothing.
func (q *Queue) Drain() (*Flight, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.drain()
}

func (q *Queue) drain() (*Flight, error) {
	for q.health == sound && q.flushing {
		q.await(context.Background())
	}
	return q.take(true), q.extra.failure()
}

// Exclude drains the queue and makes the caller the flusher who sends something else. It is called again as long as it
// returns what is to be sent before.
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

// Seal drains the queue and, in the same moment, has every later write fail with err. It is called again as long as it
// returns what is to be sent before.
func (q *Queue) Seal(err error) (*Flight, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	f, failure := q.drain()
	if f == nil && failure == nil {
		q.fail(err)
	}
	return f, failure
}

// End refuses everything that is appended from now on with net.ErrClosed, and returns what is to be sent before the end
// of the stream: with Last, what it follows at once. It is called again as long as it returns something.
func (q *Queue) End() (*Flight, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.phase == open {
		q.phase = closed
		q.wake()
	}
	for q.health == sound && q.flushing {
		q.await(context.Background())
	}
	if q.health != sound || q.phase == ended {
		return nil, q.extra.failure()
	}
	f := q.begin(nil)
	f.Last = q.extra == nil || !q.extra.sourceReady
	return f, nil
}
