package pace

import "sync/atomic"

// Quota limits the number of requests of a run. It counts those still to be sent, and those not yet settled, that is
// answered or counted as an error. The zero value limits nothing. All methods but Limit may be
// called concurrently.
type Quota struct {
	limited   bool
	unsent    atomic.Int64
	unsettled atomic.Int64
	done      func() // called when all are settled
}

// Limit begins to limit, to n requests. done is called when all are settled; it may be called again.
func (q *Quota) Limit(n int64, done func()) {
	q.limited, q.done = true, done
	q.unsent.Store(n)
	q.unsettled.Store(n)
}

// Take returns how many of n requests may be sent, and deducts them.
func (q *Quota) Take(n int) int {
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

// GiveBack returns n requests that the server did not process.
func (q *Quota) GiveBack(n int64) {
	if q.limited {
		q.unsent.Add(n)
	}
}

// Settle counts n requests as settled.
func (q *Quota) Settle(n int64) {
	if q.limited && n > 0 && q.unsettled.Add(-n) == 0 {
		q.done()
	}
}

// Limited reports whether there is a limit.
func (q *Quota) Limited() bool { return q.limited }

// GiveUp ends the run although requests are not settled.
func (q *Quota) GiveUp() { q.done() }
