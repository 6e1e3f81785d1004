package load

// schedule says when each request of an open loop should be sent: the i-th of all at i/rate, from seat i mod seats. So
// every seat has its own evenly spaced moments, and what it has not sent yet needs no list.
type schedule struct {
	rate  float64 // per second; 0: no schedule
	seats int
}

// at returns the i-th moment of all, in nanoseconds since the start.
func (s schedule) at(i int64) int64 { return int64(float64(i) * 1e9 / s.rate) }

// moment returns the k-th moment of a seat.
func (s schedule) moment(seat int, k int64) int64 { return s.at(int64(seat) + k*int64(s.seats)) }

// passed returns how many moments of a seat have come, the time since the start being t.
func (s schedule) passed(seat int, t int64) int64 {
	k := max(0, (int64(float64(t)*s.rate/1e9)-int64(seat))/int64(s.seats)-1) // no more than have come
	for s.moment(seat, k) <= t {
		k++
	}
	return k
}
