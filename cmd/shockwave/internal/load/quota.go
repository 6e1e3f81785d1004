package load

import "sync/atomic"

// quota is how many requests a run sends in all, if that is limited, and how many of them are to be settled: answered,
// or counted as an error.
type quota struct {
	limited   bool
	unsent    atomic.Int64
	unsettled atomic.Int64
	done      func() // called when all are settled
}

func (q *quota) limit(n int64, done func()) {
	q.limited, q.done = true, done
	q.unsent.Store(n)
	q.unsettled.Store(n)
}

// take returns how many of n requests may be sent.
func (q *quota) take(n int) int {
	if !q.limited || n == 0 {
		return n
	}
	for {
		left := q.unsent.Load()
		taken := min(left, int64(n))
		if q.unsent.CompareAndSwap(left, left-taken) {
			return int(taken)
		}
	}
}

// giveBack is for n requests that were sent to a server that did not look at them.
func (q *quota) giveBack(n int64) {
	if q.limited {
		q.unsent.Add(n)
	}
}

// settle is for n requests whose fate is known.
func (q *quota) settle(n int64) {
	if q.limited && n > 0 && q.unsettled.Add(-n) == 0 {
		q.done()
	}
}
