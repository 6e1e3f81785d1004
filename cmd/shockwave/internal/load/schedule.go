package load

// schedule computes when the requests of an open loop are due: request i of all is due at i/rate and belongs to slot i
// mod slots. So every slot has its own evenly spaced due times, and unsent requests need no list.
type schedule struct {
	rate  float64 // per second; 0: no schedule
	seats int
}

// at returns the due time of request i, in nanoseconds since the start.
func (s schedule) at(i int64) int64 { return int64(float64(i) * 1e9 / s.rate) }

// moment returns the due time of the k-th request of a slot.
func (s schedule) moment(seat int, k int64) int64 { return s.at(int64(seat) + k*int64(s.seats)) }

// passed returns how many requests of a slot are due at time t since the start.
func (s schedule) passed(seat int, t int64) int64 {
	k := max(0, (int64(float64(t)*s.rate/1e9)-int64(seat))/int64(s.seats)-1) // a lower bound
	for s.moment(seat, k) <= t {
		k++
	}
	return k
}
