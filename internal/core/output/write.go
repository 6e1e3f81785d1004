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
	for err == nil && q.mustWaitLocked(u, size, large) {
		err = q.awaitLocked(ctx)
	}
	switch {
	case err != nil:
	case q.failed.Load():
		err = q.extra.failure()
	case q.phase != open:
		err = net.ErrClosed
	case large:
		q.appendLocked(u, a, nil)
		f = q.beginLocked(b)
	case q.fullLocked(size):
		f, err = q.beginLocked(nil), ErrAgain
	default:
		q.appendLocked(u, a, b)
		if held = q.held > 0; !held && !q.flushing {
			f = q.beginLocked(nil)
		}
	}
	q.mu.Unlock()
	return f, held, err
}

// mustWaitLocked reports whether a unit of size bytes must wait, for its turn or for the flusher.
func (q *Queue) mustWaitLocked(u Unit, size int, large bool) bool {
	if q.failed.Load() || q.phase != open {
		return false
	}
	return u == Whole && q.extra.writingParts() || q.flushing && (large || q.fullLocked(size))
}

// Post appends p as a unit if there is room for it. It never waits. ok is false if there is no room or it is not the
// unit's turn. A Final unit is always accepted. p is copied. The caller must send the flight, if there is one.
func (q *Queue) Post(u Unit, p []byte) (f *Flight, ok, held bool, err error) {
	q.mu.Lock()
	if f, ok, err = q.admitLocked(u, len(p)); ok {
		q.appendLocked(u, p, nil)
		f, held = q.takeLocked(false), q.held > 0
	}
	q.mu.Unlock()
	return f, ok, held, err
}

// PostTwo is Post for a and b as one unit. a is always copied. A large b becomes part of the flight; Leave copies its
// rest.
func (q *Queue) PostTwo(u Unit, a, b []byte) (f *Flight, ok, held bool, err error) {
	q.mu.Lock()
	if f, ok, err = q.admitLocked(u, len(a)+len(b)); ok {
		f, held = q.addTwoLocked(u, a, b), q.held > 0
	}
	q.mu.Unlock()
	return f, ok, held, err
}

// addTwoLocked appends a and b, which have been admitted, and makes the caller the flusher if it may be.
func (q *Queue) addTwoLocked(u Unit, a, b []byte) *Flight {
	if len(b) < GatherFrom || q.flushing || q.held > 0 || q.inPiecesLocked() {
		q.appendLocked(u, a, b)
		return q.takeLocked(false)
	}
	q.appendLocked(u, a, nil)
	f := q.beginLocked(b)
	f.borrowed = true
	return f
}

// PostShared is Post for a unit that is not copied: the queue retains p until it has been sent.
func (q *Queue) PostShared(u Unit, p *bufpool.Shared) (f *Flight, ok, held bool, err error) {
	q.mu.Lock()
	if f, ok, err = q.admitLocked(u, len(p.Bytes())); ok {
		f, held = q.addSharedLocked(u, p), q.held > 0
	}
	q.mu.Unlock()
	return f, ok, held, err
}

// addSharedLocked is addTwoLocked for a shared unit.
func (q *Queue) addSharedLocked(u Unit, p *bufpool.Shared) *Flight {
	if q.flushing || q.held > 0 || q.hasLocked() {
		q.shareLocked(u, p)
		return q.takeLocked(false)
	}
	if u == Final {
		q.closeLocked()
	}
	f := q.beginLocked(nil)
	f.A, f.shared = p.Bytes(), p.Retain()
	return f
}

// admitLocked reports whether a unit of size bytes may be posted now. With ErrAgain, f must be sent before.
func (q *Queue) admitLocked(u Unit, size int) (f *Flight, ok bool, err error) {
	switch {
	case q.failed.Load():
		return nil, false, q.extra.failure()
	case q.phase != open:
		return nil, false, net.ErrClosed
	case u == Final: // it is small and the last: there is always room
		return nil, true, nil
	case q.held > 0 && !q.flushing && q.fullLocked(size):
		return q.beginLocked(nil), false, ErrAgain // the output held back is more than there is room for
	}
	return nil, !(u == Whole && q.extra.writingParts() || q.fullLocked(size)), nil
}
