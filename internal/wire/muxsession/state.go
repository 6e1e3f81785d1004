package muxsession

// Ending says whether and how a half ends after its waiting Sends.
type Ending uint8

// The endings.
const (
	Open       Ending = iota
	SendClosed        // after the Sends that wait
	Stopped           // the same, and this side receives nothing more
)

// Reset describes how a channel was reset.
type Reset struct {
	Code uint32
	Peer bool // the peer has reset it
}

// state is how far the two halves of a channel have come. When both have ended, or one side has reset the channel, it is over;
// so are all when the session has ended.
type state struct {
	ours    ourHalf
	theirs  theirHalf
	stopped bool // this side receives nothing more
	over    bool
	reset   *Reset // nil if it was not reset
}

// ourHalf is the state of the half in which this side sends.
type ourHalf uint8

const (
	oursOpen   ourHalf = iota
	oursEnding         // END follows the waiting Sends
	oursEnded          // END or RESET is in the outbox, or the peer has sent RESET
	oursAcked          // the peer has acknowledged END or RESET
)

// theirHalf is the state of the half in which the peer sends.
type theirHalf uint8

const (
	theirsOpen    theirHalf = iota
	theirsEnded             // END or RESET has ended it
	theirsStopped           // and with END the peer has said that it receives nothing more
)

// ending returns how this side's half ends.
func (s *state) ending() Ending {
	switch {
	case s.stopped:
		return Stopped
	case s.ours == oursEnding || s.ours >= oursEnded && s.reset == nil && s.theirs != theirsStopped:
		return SendClosed
	}
	return Open
}

// resetBy ends both halves.
func (s *state) resetBy(r Reset) {
	s.ours, s.theirs, s.reset = max(s.ours, oursEnded), max(s.theirs, theirsEnded), &r
}

// bothEnded reports whether both halves have ended.
func (s *state) bothEnded() bool { return s.ours >= oursEnded && s.theirs >= theirsEnded }
