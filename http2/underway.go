package http2

// underway counts what the peer may have sent before it saw a frame of ours that forbids it. Its answer to a PING behind
// that frame proves that it has seen it.
type underway struct {
	asked int32 // up to the PING that is not answered yet
	since int32 // since that, or since the last answer
}

// add adds n, up to most in all.
func (u *underway) add(n, most int32) { u.since += max(min(n, most-u.total()), 0) }

// total returns how much is not proven to have been seen.
func (u *underway) total() int32 { return u.asked + u.since }

// take subtracts n, which must not exceed the total.
func (u *underway) take(n int32) {
	k := min(n, u.asked)
	u.asked -= k
	u.since -= n - k
}

// ask is called when the PING is sent, proven when it is answered.
func (u *underway) ask() { u.asked, u.since = u.total(), 0 }

func (u *underway) proven() { u.asked = 0 }
