package http2

// unreturned is how many bytes of DATA that we sent the peer has not given back by WINDOW_UPDATE, on a stream or on the
// connection. The flow-control window bounds it, and it pays for the updates: a peer may give back late, in any order, and
// in small pieces, but not more than it got.
type unreturned int32

// leastReturn is how many bytes an update takes from unreturned at least. It is also how many a DATA frame adds at least,
// unless a window has cut it: a peer may answer each frame by an update, however short our messages are, but not open its
// windows by a byte at a time.
const leastReturn = 64

// sent records a DATA frame of n bytes. cut means that a window made it shorter.
func (u *unreturned) sent(n int32, cut bool) {
	if n < leastReturn && n > 0 && !cut {
		n = leastReturn
	}
	u.add(n)
}

func (u *unreturned) add(n int32) { *u = min(*u, maxWindow-unreturned(n)) + unreturned(n) }

// take subtracts an update of n bytes, and reports whether it gives back what we sent. It may open the window further than
// that at the same time.
func (u *unreturned) take(n uint32) bool {
	if n == 0 {
		return false
	}
	k := min(*u, max(unreturned(n), leastReturn))
	*u -= k
	return k >= leastReturn
}
