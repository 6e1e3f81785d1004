package muxsession

import (
	"errors"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// The errors of Sends that waited.
var (
	ErrPeerStopped = errors.New("muxsession: the peer takes nothing more of the channel")
	ErrReset       = errors.New("muxsession: the channel was reset")
	ErrGone        = errors.New("muxsession: the peer ends the session")
)

// End ends our half of c after its waiting Sends. With Stopped this side also receives nothing more.
func (s *Session) End(c *Channel, how Ending) {
	if c.over || how <= c.out.ending {
		return
	}
	was := c.out.ending
	c.out.ending = how
	if how == Stopped {
		c.in.stopped = true
		s.dropInbox(c)
		s.discardPartial(c)
		s.creditChannel(c, 0)
	}
	switch {
	case s.goawaySent: // END may not follow GOAWAY; the channel ends with the session
	case c.out.ended && was == SendClosed && how == Stopped && !c.in.ended:
		s.write(muxframe.AppendEnd(s.tail(muxframe.MaxControl), c.number, muxframe.Stop))
	case c.out.first == nil:
		s.endHalf(c)
	}
}

// Ending returns how our half ends, or has ended.
func (c *Channel) Ending() Ending { return c.out.ending }

// Discard drops the messages in the inbox of a channel that is over.
func (s *Session) Discard(c *Channel) {
	s.dropInbox(c)
	if !s.ended {
		s.creditSession()
	}
}

// endHalf writes END for our half of c, unless GOAWAY was sent: the channel then ends with the session.
func (s *Session) endHalf(c *Channel) {
	if c.out.ended || s.goawaySent {
		return
	}
	var f muxframe.Flags
	if c.out.ending == Stopped {
		f = muxframe.Stop
	}
	c.out.ended = true
	s.write(muxframe.AppendEnd(s.tail(muxframe.MaxControl), c.number, f))
	s.finishChannel(c)
	if s.goingAway {
		s.goAway()
	}
}

// Reset ends c at once on both sides. If it is over already, what is in its inbox is dropped.
func (s *Session) Reset(c *Channel, code uint32) {
	if c.over {
		s.Discard(c)
		return
	}
	s.failSends(c, ErrReset)
	s.writeReset(c.number, code)
	s.forgetOutgoing(c)
	c.out.ended, c.in.ended, c.reset = true, true, &Reset{Code: code}
	s.dropInbox(c)
	s.removeChannel(c)
	if s.goingAway {
		s.goAway()
	}
}

// writeReset writes RESET for a number whose channel is over now, or was refused.
func (s *Session) writeReset(number, code uint32) {
	s.write(muxframe.AppendReset(s.tail(muxframe.MaxControl), number, code))
	s.budget.allowLate()
}

// GoAway closes the session in order: GOAWAY is written after the waiting Sends.
func (s *Session) GoAway() {
	s.goingAway = true
	s.goAway()
}

func (s *Session) goAway() {
	if s.waitingSends == 0 && !s.goawaySent {
		s.goawaySent = true
		s.write(muxframe.AppendGoaway(s.tail(muxframe.MaxControl), s.lastTheirs))
	}
}

// gotGoaway acts on GOAWAY. The peer accepts only messages that are already in the outbox.
func (s *Session) gotGoaway() error {
	s.goawayReceived = true
	for _, c := range s.names {
		if c.in.midMessage {
			return muxframe.Broken("GOAWAY within a message")
		}
		if c.out.midMessage {
			s.voidRest(c)
		}
		s.failSends(c, ErrGone)
	}
	s.GoAway()
	return nil
}

// GoingAway reports whether either side has begun to close the session.
func (s *Session) GoingAway() bool { return s.goingAway }

// PeerGone reports whether the peer has sent GOAWAY.
func (s *Session) PeerGone() bool { return s.goawayReceived }

// Done reports whether both sides have sent GOAWAY and the peer has acknowledged all our frames.
func (s *Session) Done() bool { return s.goawaySent && s.goawayReceived && s.out.base == s.out.end }

// PeerReceived records how many bytes the peer has received, after the last connection of the session.
func (s *Session) PeerReceived(received uint64) {
	if received >= s.out.base && received <= s.out.maxSent {
		s.applyAck(received)
	}
}
