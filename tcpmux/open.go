package tcpmux

import (
	"context"
	"runtime/debug"
	"strconv"

	"github.com/shockwave-go/shockwave/internal/muxsession"
)

// Options are what a channel is opened with.
type Options struct {
	Metadata []byte   // the peer is told with the name; at most MaxMetadata bytes; copied
	Priority Priority // of what this side sends
	// AtMostOnce has messages that were on their way when a connection broke be dropped rather than delivered late. Their
	// bytes are sent again all the same, since the stream cannot go on without: it spares no traffic. What is sent while
	// there is no connection is delivered.
	AtMostOnce bool
}

// Priority is whose chunks leave first when channels compete. A lower class still gets one chunk in sixteen.
type Priority int8

// The classes.
const (
	Background Priority = -1
	Normal     Priority = 0
	Urgent     Priority = 1
)

func (p Priority) class() muxsession.Class {
	return muxsession.Class(min(max(1-int(p), int(muxsession.Urgent)), int(muxsession.Background)))
}

// Open opens a channel. It does not wait: the peer is told together with the first message. An empty name stands for one
// that nobody uses. A name that both sides open is one channel: a channel of the peer's that has not been accepted is
// what Open returns. The error is ErrExists, ErrTooMany, ErrName, or the session's.
func (s *Session) Open(name string) (*Channel, error) { return s.OpenWith(name, Options{}) }

// OpenWith is Open with options. Those that are for the peer have no effect on a channel that it has opened already.
func (s *Session) OpenWith(name string, o Options) (*Channel, error) {
	if len(name) > MaxName || len(o.Metadata) > MaxMetadata {
		return nil, ErrName
	}
	s.mu.Lock()
	c, err := s.open(name, &o)
	if err != nil {
		s.mu.Unlock()
		return nil, err
	}
	s.unlockAs(true)
	return c, nil
}

func (s *Session) open(name string, o *Options) (*Channel, error) {
	switch {
	case s.end != nil:
		return nil, s.end
	case s.closing || s.core.GoingAway():
		return nil, &EndError{End{By: s.by}}
	}
	if name == "" {
		name = s.newName()
	}
	if k := s.core.Named(name); k != nil {
		c := k.Owner.(*Channel)
		if s.claim(c) {
			k.SetClass(o.Priority.class())
			return c, nil
		}
		return nil, ErrExists
	}
	if s.core.Channels() >= s.cfg.MaxChannels {
		return nil, ErrTooMany
	}
	c := &Channel{s: s}
	c.core.Owner = c
	c.core.SetClass(o.Priority.class())
	if !s.core.Open(&c.core, name, o.Metadata, o.AtMostOnce) {
		return nil, ErrTooMany
	}
	return c, nil
}

// newName returns a name that no channel has. Those of the two sides differ.
func (s *Session) newName() string {
	side := "~l"
	if s.dialler != nil {
		side = "~d"
	}
	for {
		s.serial++
		name := side + strconv.FormatUint(s.serial, 36)
		if s.core.Named(name) == nil {
			return name
		}
	}
}

// claim takes a channel of the peer's out of those that nobody has accepted.
func (s *Session) claim(c *Channel) bool {
	if !c.waits {
		return false
	}
	c.waits = false
	s.forgotten++
	s.thinPending()
	return true
}

// nextPending returns the next channel that the peer has opened and nobody has accepted, nil if there is none; s.mu is held.
func (s *Session) nextPending() *Channel {
	for len(s.pending) > 0 {
		c := s.pending[0]
		s.pending[0] = nil
		if s.pending = s.pending[1:]; len(s.pending) == 0 {
			s.pending = nil
		}
		if c.waits {
			c.waits = false
			return c
		}
		s.forgotten--
	}
	return nil
}

// serve has Config.OnChannel called with the channels that the peer has opened; s.mu is held.
func (s *Session) serve() {
	if s.cfg.OnChannel == nil {
		return
	}
	for c := s.nextPending(); c != nil; c = s.nextPending() {
		go c.serve()
	}
}

func (c *Channel) serve() {
	defer func() {
		if v := recover(); v != nil {
			c.s.cfg.Logger.Error("OnChannel has panicked", "session", c.s.ID(), "channel", c.Name(), "panic", v, "stack", string(debug.Stack()))
			_ = c.reset(CodePanic)
		}
	}()
	c.s.cfg.OnChannel(c)
}

// Accept waits for the next channel that the peer has opened. The error is ctx's, or the session's when it has ended and
// all its channels have been accepted. With Config.OnChannel there is none to be accepted.
func (s *Session) Accept(ctx context.Context) (*Channel, error) {
	s.mu.Lock()
	defer s.unlock()
	for {
		if c := s.nextPending(); c != nil {
			return c, nil
		}
		if s.end != nil {
			return nil, s.end
		}
		if err := s.await(ctx, &s.accepted, nil); err != nil {
			return nil, err
		}
	}
}

// Channel returns the channel with a name, nil if there is none or it is over.
func (s *Session) Channel(name string) *Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.core.Named(name); k != nil {
		return k.Owner.(*Channel)
	}
	return nil
}

// Channels returns the channels of this moment, in no order.
func (s *Session) Channels() []*Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*Channel, 0, s.core.Channels())
	s.core.Each(func(k *muxsession.Channel) { all = append(all, k.Owner.(*Channel)) })
	return all
}
