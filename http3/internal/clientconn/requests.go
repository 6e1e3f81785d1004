package clientconn

import "maps"

// requests are the requests of a connection.
type requests struct {
	state   taking
	used    bool                 // one was reserved
	open    int                  // those that have not ended
	streams map[uint64]*exchange // those that have begun
	heads   int                  // of responses that have come
}

// taking says whether a connection accepts requests. It only goes forward.
type taking uint8

const (
	takes   taking = iota
	retired        // it does not; those that there are go on
	away           // the server has sent GOAWAY
)

// retire refuses further requests.
func (r *requests) retire() { r.state = max(r.state, retired) }

// isOver reports whether there are no requests, and will be none.
func (r *requests) isOver() bool { return r.open == 0 && r.state != takes }

// reserve counts a request that is about to begin. It reports whether there was a request before.
func (r *requests) reserve() (reused bool) {
	reused, r.used = r.used, true
	r.open++
	return reused
}

// add records a request that begins. It returns false if the server is going away.
func (r *requests) add(x *exchange) bool {
	if r.state == away {
		return false
	}
	r.streams[x.str.ID()] = x
	x.headsBefore = r.heads
	return true
}

// remove records that a request has ended. x is nil if it has not begun.
func (r *requests) remove(x *exchange) {
	if x != nil {
		delete(r.streams, x.str.ID())
	}
	r.open--
}

// goAway refuses further requests, and returns those from the stream id on: they are not processed (RFC 9114 §5.2).
func (r *requests) goAway(id uint64) (out []*exchange) {
	r.state = away
	for at, x := range maps.All(r.streams) {
		if at >= id {
			out = append(out, x)
		}
	}
	return out
}
