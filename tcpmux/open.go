package tcpmux

import (
	"context"
	"runtime/debug"
	"strconv"

	"github.com/shockwave-go/shockwave/internal/wire/muxsession"
)

// Options are the options of a new channel.
type Options struct {
	Metadata []byte   // sent to the peer with the name; at most MaxMetadata bytes; copied
	Priority Priority // of the messages that this side sends
	// AtMostOnce drops messages that were on their way when a connection broke instead of delivering them late. It saves no
	// traffic: their bytes are sent again, since the stream cannot continue without them. Messages sent while there is no
	// connection are delivered.
	AtMostOnce bool
}

// Priority decides whose chunks are sent first when channels compete. A lower class still gets one chunk in sixteen.
type Priority int8

// The priorities.
const (
	PriorityBackground Priority = -1
	PriorityNormal     Priority = 0
	PriorityUrgent     Priority = 1
)

func (p Priority) class() muxsession.Class {
	return muxsession.Class(min(max(1-int(p), int(muxsession.Urgent)), int(muxsession.Background)))
}

// Open opens a channel. It does not wait. The peer is told at once: its Accept returns the channel before any message has been
// sent. A message that is sent right after Open leaves together with that. An empty name picks an unused one. If both sides
// open the same name, they share one channel, so Open also returns a channel that the peer has opened and Accept has not
// returned yet. The error is ErrChannelExists, ErrTooManyChannels, ErrNameTooLong, or the session's.
func (s *Session) Open(name string) (*Channel, error) { return s.OpenWith(name, Options{}) }

// OpenWith is Open with options. Metadata and AtMostOnce have no effect on a channel that the peer has already opened.
func (s *Session) OpenWith(name string, o Options) (*Channel, error) {
	if len(name) > MaxName || len(o.Metadata) > MaxMetadata {
		return nil, ErrNameTooLong
	}
	s.mu.Lock()
	c, err := s.openLocked(name, &o)
	if err != nil {
		s.mu.Unlock()
		return nil, err
	}
	s.unlockAs(true)
	return c, nil
}

func (s *Session) openLocked(name string, o *Options) (*Channel, error) {
	switch {
	case s.end != nil:
		return nil, s.end
	case s.closing || s.core.GoingAway():
		return nil, &EndError{By: s.by}
	}
	if name == "" {
		name = s.names.next(s.core.Dialler(), func(name string) bool { return s.core.Named(name) != nil })
	}
	if k := s.core.Named(name); k != nil {
		c := k.Owner.(*Channel)
		if s.arrivals.claim(c) {
			k.SetClass(o.Priority.class())
			return c, nil
		}
		return nil, ErrChannelExists
	}
	if s.core.Channels() >= s.cfg.MaxChannels {
		return nil, ErrTooManyChannels
	}
	c := &Channel{s: s}
	c.core.Owner = c
	c.core.SetClass(o.Priority.class())
	if !s.core.Open(&c.core, name, o.Metadata, o.AtMostOnce) {
		return nil, ErrTooManyChannels
	}
	return c, nil
}

// autoNames makes names for channels that are opened without one. The session's lock guards it.
type autoNames uint32

// next returns a name that is not taken. Names made by the two sides differ.
func (n *autoNames) next(dialler bool, taken func(name string) bool) string {
	side := "~l"
	if dialler {
		side = "~d"
	}
	for {
		*n++
		if name := side + strconv.FormatUint(uint64(*n), 36); !taken(name) {
			return name
		}
	}
}

// serveLocked starts Config.OnChannel for the channels that the peer has opened, as long as fewer than Config.MaxChannels calls
// run.
func (s *Session) serveLocked() {
	if s.cfg.OnChannel == nil {
		return
	}
	for a := s.arrivals; a != nil && a.serving < s.cfg.MaxChannels; {
		c := a.next()
		if c == nil {
			return
		}
		a.serving++
		go c.serve()
	}
}

// served is called when a call of Config.OnChannel has returned.
func (s *Session) served() {
	s.mu.Lock()
	s.arrivals.serving--
	s.serveLocked()
	s.mu.Unlock()
}

func (c *Channel) serve() {
	defer c.s.served()
	defer func() {
		if v := recover(); v != nil {
			c.s.cfg.Logger.Error("OnChannel has panicked", "session", c.s.ID(), "channel", c.Name(), "panic", v, "stack", string(debug.Stack()))
			_ = c.reset(ResetPanic)
		}
	}()
	c.s.cfg.OnChannel(c)
}

// Accept waits for the next channel that the peer has opened. The error is ctx's, or the session's when it has ended and all
// its channels have been accepted. With Config.OnChannel Accept returns no channels.
func (s *Session) Accept(ctx context.Context) (*Channel, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.unlock()
	for {
		if c := s.arrivals.next(); c != nil {
			return c, nil
		}
		if s.end != nil {
			return nil, s.end
		}
		if err := s.awaitLocked(ctx, &s.accepting.ensure().accepters, nil); err != nil {
			return nil, err
		}
	}
}

// Channel returns the open channel with the given name, or nil.
func (s *Session) Channel(name string) *Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.core.Named(name); k != nil {
		return k.Owner.(*Channel)
	}
	return nil
}

// Channels returns the open channels, in no order.
func (s *Session) Channels() []*Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*Channel, 0, s.core.Channels())
	s.core.Each(func(k *muxsession.Channel) { all = append(all, k.Owner.(*Channel)) })
	return all
}
