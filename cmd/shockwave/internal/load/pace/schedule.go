// Package pace says when the requests of a run are sent, in which order, and how many of them.
package pace

// Schedule computes when the requests of an open loop are due: request i of all is due at i/rate and belongs to slot i
// mod slots. So every slot has its own evenly spaced due times, and unsent requests need no list.
type Schedule struct {
	Rate  float64 // per second; 0: no schedule
	Slots int
}

// At returns the due time of request i, in nanoseconds since the start.
func (s Schedule) At(i int64) int64 { return int64(float64(i) * 1e9 / s.Rate) }

// Due returns the due time of the k-th request of a slot.
func (s Schedule) Due(slot int, k int64) int64 { return s.At(int64(slot) + k*int64(s.Slots)) }

// Passed returns how many requests of a slot are due at time t since the start.
func (s Schedule) Passed(slot int, t int64) int64 {
	k := max(0, (int64(float64(t)*s.Rate/1e9)-int64(slot))/int64(s.Slots)-1) // a lower bound
	for s.Due(slot, k) <= t {
		k++
	}
	return k
}
