package load

// schedule computes when the requests of an open loop are due: request i of all is due at i/rate and belongs to slot i
// mod slots. So every slot has its own evenly spaced due times, and unsent requests need no list.
type schedule struct {
	rate  float64 // per second; 0: no schedule
	slots int
}

// at returns the due time of request i, in nanoseconds since the start.
func (s schedule) at(i int64) int64 { return int64(float64(i) * 1e9 / s.rate) }

// moment returns the due time of the k-th request of a slot.
func (s schedule) moment(slot int, k int64) int64 { return s.at(int64(slot) + k*int64(s.slots)) }

// passed returns how many requests of a slot are due at time t since the start.
func (s schedule) passed(slot int, t int64) int64 {
	k := max(0, (int64(float64(t)*s.rate/1e9)-int64(slot))/int64(s.slots)-1) // a lower bound
	for s.moment(slot, k) <= t {
		k++
	}
	return k
}
