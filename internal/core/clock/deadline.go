package clock

import (
	"sync/atomic"
	"time"
)

// Deadline is the position of a holder in a clock's heap. The zero Deadline is ready for use.
type Deadline struct {
	at    atomic.Int64 // when the clock calls the holder next; 0: it does not; retired: never again
	index int32        // index in the heap; guarded by the clock's lock
}

// Covers reports whether the clock calls the holder no later than at anyway; 0 is never. Then Arm has nothing to do.
func (d *Deadline) Covers(at Moment) bool {
	known := d.at.Load()
	return at == 0 || known != 0 && known <= at
}

// retired is earlier than every Moment, so that Arm finds nothing to do.
const retired Moment = -1

// Holder has a deadline. The clock calls its methods on the clock's goroutine, so they must not block.
type Holder interface {
	// Deadline returns the holder's position in the heap, always the same pointer.
	Deadline() *Deadline
	// Expired is called when a deadline passed to Arm has come. It returns the next deadline, 0 for none.
	Expired(now Moment) (next Moment)
}

// Loser is a Holder with deadlines of users, or with others that it computes only when it is called: when time was lost,
// TimeLost is called before Expired.
type Loser interface{ TimeLost() }

// After returns at + d, or 0 (never) if d is 0.
func After(at Moment, d time.Duration) Moment {
	if d == 0 {
		return 0
	}
	return at + int64(d)
}

// Earlier returns the earlier of two moments; 0 is never.
func Earlier(a, b Moment) Moment {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// Passed reports whether the moment at has come; 0 is never.
func Passed(at, now Moment) bool { return at != 0 && at <= now }

// dueEntry is an entry of the heap.
type dueEntry struct {
	at     Moment
	holder Holder
}

// dueHeap is a heap of holders, ordered by when they are called next.
type dueHeap []dueEntry

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].at < h[j].at }

func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].holder.Deadline().index, h[j].holder.Deadline().index = int32(i), int32(j)
}

func (h *dueHeap) Push(x any) {
	e := dueEntry{holder: x.(Holder)}
	d := e.holder.Deadline()
	e.at, d.index = d.at.Load(), int32(len(*h))
	*h = append(*h, e)
}

func (h *dueHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = dueEntry{}
	*h = old[:len(old)-1]
	e.holder.Deadline().at.Store(0)
	return e.holder
}
