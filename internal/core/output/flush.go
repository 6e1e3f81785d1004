package output

import (
	"context"
	"net"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// At most one goroutine is the flusher. A goroutine becomes it when a method returns a flight, and is it until it calls Finished
// or Leave.

// beginLocked makes the caller the flusher of the pending output, followed by rest. There must be no flusher.
func (q *Queue) beginLocked(rest []byte) *Flight {
	q.flushing, q.flushHeld = true, false
	f, x := q.ensureNextLocked(), q.extra
	q.next = nil
	f.FromSource = x != nil && !x.origin.none()
	if len(f.segs) > 0 || x != nil && x.ready {
		if x != nil && x.ready && len(rest) == 0 { // rest belongs to the unit at the end of the tail
			q.drawLocked(f)
		}
		f.assemble(rest)
	} else {
		f.A, f.B = f.tail, rest
	}
	return f
}

// drawLocked appends output of the source to f if there is room. The lock is released while the source is asked.
func (q *Queue) drawLocked(f *Flight) {
	x := q.extra
	most := int(q.Bound)
	if len(f.tail) >= most {
		return
	}
	if len(f.tail) == 0 {
		f.tail = bufpool.Grow(f.tail, GatherFrom)[:0]
	}
	x.ready = false
	from := x.origin
	q.mu.Unlock()
	more := from.appendTo(f, most)
	q.mu.Lock()
	x.ready = x.ready || more && !x.final
}

// Draw makes s the source of the queue and notes that it has output. The source is asked when no output is pending. A
// queue has one source at a time. The caller must send the flight, if there is one.
func (q *Queue) Draw(s Source) *Flight { return q.drawFrom(origin{source: s}) }

// DrawLent is Draw for a Lender.
func (q *Queue) DrawLent(l Lender) *Flight { return q.drawFrom(origin{lender: l}) }

func (q *Queue) drawFrom(o origin) *Flight {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed.Load() || q.phase != open {
		return nil
	}
	x := q.ensureExtraLocked()
	x.origin, x.ready = o, true
	return q.takeLocked(false)
}

// Finished reports that f has been sent, or that sending failed with failure. f is nil after Exclude. If more output may
// be sent, Finished returns it as next and the caller remains the flusher. If not, there is no flusher any more, and err
// is the error with which every write fails, nil while writing works. broke reports that writing has failed because of
// this flight.
func (q *Queue) Finished(f *Flight, failure error) (next *Flight, broke bool, err error) {
	q.mu.Lock()
	if failure != nil && !q.failed.Load() {
		q.failLocked(failure)
		broke = true
	}
	if q.extra != nil {
		q.extra.finished++
	}
	last := false
	if f != nil {
		last = f.Last
		f.release(failure == nil)
	}
	if !q.failed.Load() && (q.held == 0 || q.flushHeld) && q.hasLocked() {
		next = q.beginLocked(nil)
		q.wakeLocked()
	} else {
		q.flushHeld = false
		if last && !q.failed.Load() {
			q.phase = ended
		}
		q.endLocked()
		err = q.extra.failure()
	}
	q.mu.Unlock()
	return next, broke, err
}

// Leave keeps f, which has not been sent completely, for Resume. The queue counts as being flushed meanwhile, without a
// goroutine.
func (q *Queue) Leave(f *Flight) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed.Load() {
		f.release(false)
		q.endLocked()
		return
	}
	f.copyBorrowed()
	f.shrink()
	q.ensureExtraLocked().left = f
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

// takeLocked makes the caller the flusher of the pending output, if there is any and there is no flusher. Output that is held
// back is taken only if held is true.
func (q *Queue) takeLocked(held bool) *Flight {
	if q.failed.Load() || q.flushing || !q.hasLocked() || q.held > 0 && !held {
		return nil
	}
	return q.beginLocked(nil)
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
	q.flushHeld = q.flushing && q.hasLocked()
	f, err = q.takeLocked(true), q.extra.failure()
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
	return q.beginLocked(nil)
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
	f, err = q.takeLocked(false), q.extra.failure()
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
	return q.hasLocked() && !q.tickAsked.Swap(true)
}

// EndTick is called when the tick that NeedsTick requested has come. It reports whether output is pending, which the caller
// must then Take. No source is asked.
func (q *Queue) EndTick() bool {
	q.tickAsked.Store(false)
	q.mu.Lock()
	pending := q.hasLocked()
	q.mu.Unlock()
	return pending
}

// Drain waits until there is no flusher and makes the caller the flusher of the pending output. It returns nil if there
// is none.
func (q *Queue) Drain() (*Flight, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.drainLocked()
}

func (q *Queue) drainLocked() (*Flight, error) {
	q.awaitFlusherLocked()
	return q.takeLocked(true), q.extra.failure()
}

// AwaitFlight waits until a flight that Leave has kept is finished, or ctx is done. It returns ctx's error, or the error with
// which every write fails.
func (q *Queue) AwaitFlight(ctx context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.extra == nil {
		return nil
	}
	for before := q.extra.finished; q.extra != nil && q.flushing && !q.failed.Load() && q.extra.finished == before; {
		if err := q.awaitLocked(ctx); err != nil {
			return err
		}
	}
	return q.extra.failure()
}

// Settle waits until there is no flusher, and reports whether all output has been sent.
func (q *Queue) Settle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.awaitFlusherLocked()
	return !q.failed.Load() && !q.hasLocked()
}

// Exclude makes the caller the flusher of data that is not in the queue. As long as it returns a flight, the caller
// must send that and call Exclude again.
func (q *Queue) Exclude() (*Flight, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	f, err := q.drainLocked()
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
	f, failure := q.drainLocked()
	if f == nil && failure == nil {
		q.failLocked(err)
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
		q.wakeLocked()
	}
	q.awaitFlusherLocked()
	if q.failed.Load() || q.phase == ended {
		return nil, q.extra.failure()
	}
	f := q.beginLocked(nil)
	f.Last = q.extra == nil || !q.extra.ready
	return f, nil
}
