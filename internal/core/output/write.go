package output

import (
	"context"
	"errors"
	"net"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// ErrAgain means that the caller must send the flight and then call again, because there is no room before.
var ErrAgain = errors.New("output: send this first")

// Write appends a and b as one unit. It waits if the queue is full, if b is large and there is a flusher, or if it is
// not the unit's turn; it returns ctx's error if ctx is done meanwhile. a is always copied. A large b becomes part of
// the flight and is not used after that is sent. The caller must send the flight, if there is one. held reports that
// the unit waits for a Release.
func (q *Queue) Write(ctx context.Context, u Unit, a, b []byte) (f *Flight, held bool, err error) {
	size, large := len(a)+len(b), len(b) >= GatherFrom
	q.mu.Lock()
	for err == nil && q.mustWait(u, size, large) {
		err = q.await(ctx)
	}
	switch {
	case err != nil:
	case q.failed.Load():
		err = q.extra.failure()
	case q.phase != open:
		err = net.ErrClosed
	case large:
		q.append(u, a, nil)
		f = q.begin(b)
	case q.full(size):
		f, err = q.begin(nil), ErrAgain
	default:
		q.append(u, a, b)
		if held = q.held > 0; !held && !q.flushing {
			f = q.begin(nil)
		}
	}
	q.mu.Unlock()
	return f, held, err
}

// mustWait reports whether a unit of size bytes must wait, for its turn or for the flusher. The caller must hold q.mu.
func (q *Queue) mustWait(u Unit, size int, large bool) bool {
	if q.failed.Load() || q.phase != open {
		return false
	}
	return u == Whole && q.extra.writingParts() || q.flushing && (large || q.full(size))
}

// Post appends p as a unit if there is room for it. It never waits. ok is false if there is no room or it is not the
// unit's turn. A Final unit is always accepted. p is copied. The caller must send the flight, if there is one.
func (q *Queue) Post(u Unit, p []byte) (f *Flight, ok, held bool, err error) {
	q.mu.Lock()
	if f, ok, err = q.admit(u, len(p)); ok {
		q.append(u, p, nil)
		f, held = q.take(false), q.held > 0
	}
	q.mu.Unlock()
	return f, ok, held, err
}

// PostTwo is Post for a and b as one unit. a is always copied. A large b becomes part of the flight; Leave copies its
// rest.
func (q *Queue) PostTwo(u Unit, a, b []byte) (f *Flight, ok, held bool, err error) {
	q.mu.Lock()
	if f, ok, err = q.admit(u, len(a)+len(b)); ok {
		f, held = q.addTwo(u, a, b), q.held > 0
	}
	q.mu.Unlock()
	return f, ok, held, err
}

// addTwo appends a and b, which have been admitted, and makes the caller the flusher if it may be. The caller must hold
// q.mu.
func (q *Queue) addTwo(u Unit, a, b []byte) *Flight {
	if len(b) < GatherFrom || q.flushing || q.held > 0 || q.inPieces() {
		q.append(u, a, b)
		return q.take(false)
	}
	q.append(u, a, nil)
	f := q.begin(b)
	f.borrowed = true
	return f
}

// inPieces reports whether the next batch consists of more than the tail and what follows it. The caller must hold q.mu.
func (q *Queue) inPieces() bool {
	return q.next != nil && len(q.next.segs) > 0 || q.extra != nil && q.extra.sourceReady
}

// PostShared is Post for a unit that is not copied: the queue retains p until it has been sent.
func (q *Queue) PostShared(u Unit, p *bufpool.Shared) (f *Flight, ok, held bool, err error) {
	q.mu.Lock()
	if f, ok, err = q.admit(u, len(p.Bytes())); ok {
		f, held = q.addShared(u, p), q.held > 0
	}
	q.mu.Unlock()
	return f, ok, held, err
}

// addShared is addTwo for a shared unit.
func (q *Queue) addShared(u Unit, p *bufpool.Shared) *Flight {
	if q.flushing || q.held > 0 || q.has() {
		q.share(u, p)
		return q.take(false)
	}
	if u == Final {
		q.close()
	}
	f := q.begin(nil)
	f.A, f.shared = p.Bytes(), p.Retain()
	return f
}

// admit reports whether a unit of size bytes may be posted now. With ErrAgain, f must be sent before. The caller must hold
// q.mu.
func (q *Queue) admit(u Unit, size int) (f *Flight, ok bool, err error) {
	switch {
	case q.failed.Load():
		return nil, false, q.extra.failure()
	case q.phase != open:
		return nil, false, net.ErrClosed
	case u == Final: // it is small and the last: there is always room
		return nil, true, nil
	case q.held > 0 && !q.flushing && q.full(size):
		return q.begin(nil), false, ErrAgain // the output held back is more than there is room for
	}
	return nil, !(u == Whole && q.extra.writingParts() || q.full(size)), nil
}

// Source produces output when there is room for it.
type Source interface {
	// AppendOutput appends whole units to dst until it is most bytes long or slightly longer, and reports whether there
	// are more. dst is a buffer from bufpool, which AppendOutput may replace by a larger one. One goroutine at a time
	// calls it. The queue's lock is not held.
	AppendOutput(dst []byte, most int) (_ []byte, more bool)
}

// Lender is a Source that keeps its output in memory of its own, from which it is sent. Lend is called instead of
// AppendOutput.
type Lender interface {
	Source
	// Lend appends output to dst, as AppendOutput does, and slices that follow it to data, up to the capacity of data.
	// The slices must stay unchanged until Lend is called again for this queue, or for good if it is not.
	Lend(dst []byte, data [][]byte, most int) (_ []byte, _ [][]byte, more bool)
}

// maxLent is how many slices a Lender gives at a time.
const maxLent = 4

// Draw makes s the source of the queue and notes that it has output. The source is asked when no output is pending. A
// queue has one source at a time. The caller must send the flight, if there is one.
func (q *Queue) Draw(s Source) *Flight {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed.Load() || q.phase != open {
		return nil
	}
	x := q.ensureExtra()
	x.source, x.sourceReady = s, true
	return q.take(false)
}

// draw appends the output of q's source to f if there is room. The caller must hold q.mu, which is released while the
// source is asked.
func (f *Flight) draw(q *Queue) {
	x := q.extra
	most := int(q.Bound)
	if len(f.tail) >= most {
		return
	}
	if len(f.tail) == 0 {
		f.tail = bufpool.Grow(f.tail, GatherFrom)[:0]
	}
	x.sourceReady = false
	source := x.source
	q.mu.Unlock()
	var tail []byte
	var more bool
	if l, ok := source.(Lender); ok {
		if f.lent == nil {
			f.lent = make([][]byte, 0, maxLent)
		}
		tail, f.lent, more = l.Lend(f.tail, f.lent, most)
	} else {
		tail, more = source.AppendOutput(f.tail, most)
	}
	q.mu.Lock()
	f.tail = tail
	x.sourceReady = x.sourceReady || more && !x.final
}
