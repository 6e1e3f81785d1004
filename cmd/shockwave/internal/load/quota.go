package load

import "sync/atomic"

// quota limits the number of requests of a run. It counts those still to be sent, and those not yet settled, that is
// answered or counted as an error.
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

// take returns how many of n requests may be sent, and deducts them.
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

// giveBack returns n requests that the server did not process.
func (q *quota) giveBack(n int64) {
	if q.limited {
		q.unsent.Add(n)
	}
}

// settle counts n requests as settled.
func (q *quota) settle(n int64) {
	if q.limited && n > 0 && q.unsettled.Add(-n) == 0 {
		q.done()
	}
}
