package h2conn

import (
	"slices"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// pieceSize is the most bytes in a piece. It bounds what a grown buffer wastes: a stream whose reader is late holds little more
// than it has received, however large its window is.
const pieceSize = 64 << 10

// pieces is a queue of bytes in slices from bufpool, for receiving a lot without moving what is there already.
type pieces struct {
	all [][]byte // oldest first; all but the last are full, and only the last may be empty
}

func (q *pieces) empty() bool { return len(q.all) == 0 || len(q.all[0]) == 0 }

// append copies p to the end of the queue.
func (q *pieces) append(p []byte) {
	for len(p) > 0 {
		if len(q.all) == 0 || len(q.all[len(q.all)-1]) == pieceSize {
			q.all = append(q.all, nil)
		}
		last := &q.all[len(q.all)-1]
		at := len(*last)
		n := min(len(p), pieceSize-at)
		*last = append(bufpool.Grow(*last, max(at+n, 256))[:at], p[:n]...)
		p = p[n:]
	}
}

// pop removes the oldest piece, which belongs to the caller then. The queue must not be empty.
func (q *pieces) pop() []byte {
	p := q.all[0]
	q.all = slices.Delete(q.all, 0, 1)
	return p
}

// reuse takes over a slice from bufpool, for the next bytes if there is no place for them yet.
func (q *pieces) reuse(p []byte) {
	if len(q.all) == 0 && 0 < cap(p) && cap(p) <= pieceSize {
		q.all = append(q.all, p[:0])
		return
	}
	bufpool.Put(p)
}

// whole removes all bytes, as one slice that belongs to the caller.
func (q *pieces) whole() []byte {
	if len(q.all) == 0 {
		return nil
	}
	size := 0
	for _, p := range q.all {
		size += len(p)
	}
	whole := bufpool.Grow(q.all[0], size)[:len(q.all[0])]
	for _, p := range q.all[1:] {
		whole = append(whole, p...)
		bufpool.Put(p)
	}
	q.forget()
	return whole
}

// release returns all pieces to bufpool.
func (q *pieces) release() {
	for _, p := range q.all {
		bufpool.Put(p)
	}
	q.forget()
}

func (q *pieces) forget() {
	clear(q.all)
	q.all = q.all[:0]
}
