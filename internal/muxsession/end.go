package muxsession

import (
	"errors"

	"github.com/shockwave-go/shockwave/internal/muxframe"
)

// Why a Send that waited has failed.
var (
	ErrDeaf  = errors.New("muxsession: the peer takes nothing more of the channel")
	ErrReset = errors.New("muxsession: the channel was reset")
	ErrGone  = errors.New("muxsession: the peer ends the session")
)

// End ends our half of c behind what waits; with Stopped nothing is taken of the peer's, either.
func (s *Session) End(c *Channel, how Ending) {
	if c.over || how <= c.out.ending {
		return
	}
	was := c.out.ending
	c.out.ending = how
	if how == Stopped {
		c.in.deaf = true
		s.dropInbox(c)
		s.forget(c)
		s.regrantChannel(c, 0)
	}
	switch {
	case c.out.ended && was == Ends && how == Stopped && !c.in.ended:
		s.write(muxframe.AppendEnd(s.scratch[:0], c.number, muxframe.Stop))
	case c.out.first == nil:
		s.end(c)
	}
}

// Ending reports whether our half has ended, or is to.
func (c *Channel) Ending() Ending { return c.out.ending }

// Discard drops what nobody has taken of a channel that is over.
func (s *Session) Discard(c *Channel) {
	s.dropInbox(c)
	if !s.ended {
		s.regrant()
	}
}

// end writes the end of our half.
func (s *Session) end(c *Channel) {
	if c.out.ended {
		return
	}
	var f muxframe.Flags
	if c.out.ending == Stopped {
		f = muxframe.Stop
	}
	c.out.ended = true
	s.write(muxframe.AppendEnd(s.scratch[:0], c.number, f))
	s.finish(c)
	if s.goingAway {
		s.goAway()
	}
}

// Reset ends c at once on both sides.
func (s *Session) Reset(c *Channel, code uint32) {
	if c.over {
		return
	}
	s.failSends(c, ErrReset)
	s.write(muxframe.AppendReset(s.scratch[:0], c.number, code))
	s.settled(c)
	c.out.ended, c.in.ended, c.reset = true, true, &Reset{Code: code}
	s.dropInbox(c)
	s.remove(c)
	s.regrant()
	if s.goingAway {
		s.goAway()
	}
}

// GoAway ends the session in order: behind what waits the peer is told that there is nothing more.
func (s *Session) GoAway() {
	s.goingAway = true
	s.goAway()
}

func (s *Session) goAway() {
	if s.waiting == 0 && !s.gone {
		s.gone = true
		s.write(muxframe.AppendGoaway(s.scratch[:0], s.theirs))
	}
}

// gotGoaway: the peer takes nothing more that has not been written.
func (s *Session) gotGoaway() error {
	s.peerGone = true
	for _, c := range s.names {
		if c.in.got {
			return muxframe.Broken("GOAWAY within a message")
		}
		if c.out.tail {
			s.voidRest(c)
		}
		s.failSends(c, ErrGone)
	}
	s.GoAway()
	return nil
}

// GoingAway reports whether either side has begun to end the session.
func (s *Session) GoingAway() bool { return s.goingAway }

// PeerGone reports whether the peer has written all it will.
func (s *Session) PeerGone() bool { return s.peerGone }

// Done reports whether both sides have written all they will and the peer has all of ours.
func (s *Session) Done() bool { return s.gone && s.peerGone && s.out.base == s.out.end }

// Told is told, when there will be no connection any more, how much the peer has received.
func (s *Session) Told(received uint64) {
	if received >= s.out.base && received <= s.out.most {
		s.acked(received)
	}
}
