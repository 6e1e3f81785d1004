package http2

// roundTrip is the measured time of a round trip: of our SETTINGS and their acknowledgement, and of a PING from time to
// time.
type roundTrip struct {
	rtt    int64
	sentAt int64 // when our own PING was sent; 0 if none is unanswered
	next   int64 // when the round trip is to be measured again
	queued bool  // the PING has not been sent yet, as far as OutputSent has told
}

// rttEvery is how often the round trip is measured while data arrives, in nanoseconds.
const rttEvery = 10 * second

// due reports whether a PING is to measure the round trip now.
func (r *roundTrip) due(now int64) bool { return r.sentAt == 0 && now >= r.next }

// asked records that the PING was appended.
func (r *roundTrip) asked(now int64) {
	r.sentAt, r.next = max(now, 1), now+rttEvery
	r.queued = true
}

// outputSent records when the output that may hold the PING was sent.
func (r *roundTrip) outputSent(now int64) {
	if r.queued && r.sentAt != 0 {
		r.sentAt = max(now, 1)
	}
	r.queued = false
}

// answered records the answer to the PING, and reports whether there was one to answer.
func (r *roundTrip) answered(now int64) bool {
	if r.sentAt == 0 {
		return false
	}
	r.sample(now - r.sentAt)
	r.sentAt = 0
	return true
}

// sample records a measured round trip. A shorter one is taken at once, a longer one only gradually: the owner may have
// been slow to send or to read.
func (r *roundTrip) sample(d int64) {
	d = max(d, 1)
	if r.rtt == 0 || d < r.rtt {
		r.rtt = d
	} else {
		r.rtt += (d - r.rtt) / 8
	}
}
