package output

import (
	"context"
	"errors"
	"net"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// ErrAgain says that the flight has to leave before the unit can be appended: the caller sends it and asks again.
var ErrAgain = errors.New("output: send this first")

// Write appends a and b as one unit. When the queue is full, b is large or it is not the unit's turn it waits, and gives
// up when ctx ends, with ctx's error. a is always copied; a large b is part of the flight and not used afterwards. The
// caller sends the flight, if there is one. held says that the unit waits for a Release.
func (q *Queue) Write(ctx context.Context, u Unit, a, b []byte) (f *Flight, held bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.health == sound {
		if q.phase != open {
			return nil, false, net.ErrClosed
		}
		full := q.full(len(a) + len(b))
		switch {
		case u == Whole && q.extra.writingParts(), q.flushing && (full || len(b) >= GatherFrom):
			if err := q.await(ctx); err != nil {
				return nil, false, err
			}
		case len(b) >= GatherFrom:
			q.append(u, a, nil)
			return q.begin(b), false, nil
		case full:
			return q.begin(nil), false, ErrAgain
		default:
			q.append(u, a, b)
			if q.held == 0 && !q.flushing {
				return q.begin(nil), false, nil
			}
			return nil, q.held > 0, nil
		}
	}
	return nil, false, q.extra.failure()
}

// Post appends p as a unit if there is room for it, and never waits. ok is false when there is no room or it is not p's
// turn; a Final is taken in any case. p is copied. The caller sends the flight, if there is one.
func (q *Queue) Post(u Unit, p []byte) (f *Flight, ok, held bool, err error) {
	return q.post(u, len(p), func() *Flight {
		q.append(u, p, nil)
		return q.take(false)
	})
}

// PostTwo is Post of a and b as one unit. a is always copied; a large b is part of the flight, which Leave makes a copy of.
func (q *Queue) PostTwo(u Unit, a, b []byte) (f *Flight, ok, held bool, err error) {
	return q.post(u, len(a)+len(b), func() *Flight {
		x := q.extra
		if len(b) < GatherFrom || q.flushing || q.held > 0 || x != nil && (x.size > 0 || x.sourceReady) {
			q.append(u, a, b)
			return q.take(false)
		}
		q.append(u, a, nil)
		f := q.begin(b)
		f.borrowed = true
		return f
	})
}

// PostShared is Post of a unit that is not copied: the queue is a holder of p until it has left.
func (q *Queue) PostShared(u Unit, p *bufpool.Shared) (f *Flight, ok, held bool, err error) {
	return q.post(u, len(p.Bytes()), func() *Flight {
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
	})
}

func (q *Queue) post(u Unit, size int, add func() *Flight) (f *Flight, ok, held bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.health != sound:
		return nil, false, false, q.extra.failure()
	case q.phase != open:
		return nil, false, false, net.ErrClosed
	case u == Final: // small, and the last: it always has room
	case q.held > 0 && !q.flushing && q.full(size):
		return q.begin(nil), false, false, ErrAgain // what was held back is more than there is room for
	case u == Whole && q.extra.writingParts(), q.full(size):
		return nil, false, false, nil
	}
	f = add()
	return f, true, q.held > 0, nil
}

// Source gives a queue output when there is room for it: it decides then what goes next.
type Source interface {
	// AppendOutput appends whole units to dst, which is leased from bufpool and may be replaced by a larger lease, until it
	// is most bytes long or a little more, and reports whether there are others. One goroutine at a time calls it, with no
	// lock of the queue held.
	AppendOutput(dst []byte, most int) (_ []byte, more bool)
}

// Lender is a Source that keeps what it gives: it is sent from where it is. Lend is called in place of AppendOutput.
type Lender interface {
	Source
	// Lend appends to dst, as AppendOutput does, what goes first, and to data, as far as that has room, slices that go behind
	// it. What those point to stays as it is until Lend is called again for this queue, or for good if it is not.
	Lend(dst []byte, data [][]byte, most int) (_ []byte, _ [][]byte, more bool)
}

// mostLent is how many slices a Lender gives at a time.
const maxLent = 4

// Draw says that s has output: it is asked for it when nothing is pending. A queue has one source at a time. The caller
// sends the flight, if there is one.
func (q *Queue) Draw(s Source) *Flight {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.health != sound || q.phase != open {
		return nil
	}
	x := q.ensureExtra()
	x.source, x.sourceReady = s, true
	return q.take(false)
}

// draw adds to f what the source of q has, if f leaves room; q.mu is held, but not while the source is asked.
func (f *Flight) draw(q *Queue) {
	x := q.extra
	most := int(q.Bound)
	if len(f.tail) >= most {
		return
	}
	if f.tail == nil {
		f.tail = bufpool.Get(GatherFrom)[:0]
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
	x.sourceReady = x.sourceReady || more && x.source != nil
}
