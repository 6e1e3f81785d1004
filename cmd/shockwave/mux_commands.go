package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/jsontalk"
	"github.com/shockwave-go/shockwave/tcpmux"
)

// muxCommand is a line of stdin.
type muxCommand struct {
	Do  string          `json:"do"`
	Tag json.RawMessage `json:"tag"`
	jsontalk.Payload
	Session *int    `json:"session"`
	Channel *string `json:"channel"`
	Code    *int64  `json:"code"`
}

// What commands fail with, besides errors of jsontalk. Errors begin with these words.
var (
	errNoChannel = errors.New("no such channel")
	errExists    = errors.New("channel exists")
	errTooMany   = errors.New("too many channels")
	errNoSession = errors.New("no session")
)

// plainChannel is where lines go that are no commands.
const plainChannel = "0"

// inputEnded implements commandTaker. Who listens goes on.
func (r *muxRun) inputEnded() {
	if !r.opt.listen {
		r.end()
	}
}

// room implements commandTaker.
func (r *muxRun) room(ctx context.Context) { r.sends.Room(ctx) }

// line sends a line on channel 0, which is opened if need be.
func (r *muxRun) line(line []byte) {
	m := r.find(nil)
	if m == nil || !m.hold() {
		r.complain(nil, errNoSession)
		return
	}
	defer m.release(nil)
	mc := m.channel(plainChannel)
	if mc == nil {
		var err error
		if mc, err = m.open(plainChannel); err != nil {
			r.complain(nil, err)
			return
		}
	}
	r.send(mc, nil, bytes.Clone(line))
}

// command carries out a command, or has it wait for its turn.
func (r *muxRun) command(line []byte) {
	var c muxCommand
	if err := jsontalk.Parse(line, &c); err != nil {
		r.complain(c.Tag, err)
		return
	}
	switch c.Do {
	case "open", "send", "end", "reset", "pause", "resume":
		r.onChannel(&c)
	case "close":
		r.out.OK(c.Tag)
		r.end()
	case "":
		r.complain(c.Tag, jsontalk.Bad(`there is no "do"`))
	default:
		r.complain(c.Tag, jsontalk.Bad("%q is not known", c.Do))
	}
}

// check says what is wrong with a command about a channel. It returns what is to be sent, too.
func (c *muxCommand) check() ([]byte, error) {
	switch {
	case c.Channel == nil:
		return nil, jsontalk.Bad(`"channel" is wanted`)
	case len(*c.Channel) < 1 || len(*c.Channel) > tcpmux.MaxName:
		return nil, jsontalk.Bad("a channel's name has 1 to %d bytes", tcpmux.MaxName)
	case c.Do == "send":
		return c.Bytes()
	case c.Do == "reset" && c.Code != nil && (*c.Code < 0 || *c.Code > math.MaxUint32):
		return nil, jsontalk.Bad("%d is no code", *c.Code)
	}
	return nil, nil
}

// onChannel carries out a command about a channel.
func (r *muxRun) onChannel(c *muxCommand) {
	p, err := c.check()
	if err != nil {
		r.complain(c.Tag, err)
		return
	}
	m := r.find(c.Session)
	if m == nil || !m.hold() {
		r.complain(c.Tag, errNoSession)
		return
	}
	defer m.release(nil)
	mc := m.channel(*c.Channel)
	switch {
	case c.Do == "open":
		_, err = m.open(*c.Channel)
	case mc == nil:
		err = fmt.Errorf("%w: %q", errNoChannel, *c.Channel)
	case c.Do == "send":
		r.send(mc, c.Tag, p)
		return
	case c.Do == "end":
		r.finish(mc, c.Tag)
		return
	case c.Do == "reset":
		err = mc.reset(c.Code)
	case c.Do == "pause":
		mc.pause()
	default:
		mc.resume()
	}
	r.answer(c.Tag, err)
}

// open opens a channel. One that the peer has opened, and this side has not, is the same channel.
func (m *muxSession) open(name string) (*muxChannel, error) {
	c, err := m.s.Open(name)
	if err == nil {
		mc := m.add(c, tcpmux.Us)
		<-mc.opened
		return mc, nil
	}
	if errors.Is(err, tcpmux.ErrExists) {
		if c = m.s.Channel(name); c != nil {
			if mc := m.add(c, tcpmux.Peer); mc.claim() {
				return mc, nil
			}
		}
	}
	return nil, channelError(m.s, name, err)
}

// send sends p when its turn has come. It answers when the session has taken it.
func (r *muxRun) send(mc *muxChannel, tag json.RawMessage, p []byte) {
	if !r.sends.Busy(mc) {
		err := mc.c.TrySend(p)
		if !errors.Is(err, tcpmux.ErrWouldWait) {
			mc.sent(tag, err)
			return
		}
	}
	if !mc.session.hold() {
		r.complain(tag, errNoSession)
		return
	}
	r.sends.Send(mc, len(p), func() {
		err := mc.c.Send(context.Background(), p)
		mc.sent(tag, err)
		mc.session.release(err)
	})
}

// finish ends this side's half of a channel behind what waits for its turn.
func (r *muxRun) finish(mc *muxChannel, tag json.RawMessage) {
	if !mc.session.hold() {
		r.complain(tag, errNoSession)
		return
	}
	r.sends.Then(mc, func() {
		r.answer(tag, mc.named(mc.end()))
		mc.session.release(nil)
	})
}

// sent answers a send.
func (mc *muxChannel) sent(tag json.RawMessage, err error) {
	if err == nil {
		mc.watch()
	}
	mc.session.run.answer(tag, mc.named(err))
}

// reset ends the channel at once, also before what waits for its turn.
func (mc *muxChannel) reset(code *int64) error {
	var c uint32
	if code != nil {
		c = uint32(*code)
	}
	err := mc.c.Reset(c)
	mc.session.forget(mc)
	mc.resume()
	return mc.named(err)
}

// named is channelError of this channel.
func (mc *muxChannel) named(err error) error { return channelError(mc.session.s, mc.c.Name(), err) }

// channelError is an error of a channel in mux's words.
func channelError(s *tcpmux.Session, name string, err error) error {
	var reset *tcpmux.ResetError
	var over *tcpmux.EndError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, tcpmux.ErrTooLarge):
		return fmt.Errorf("%w: on channel %q", jsontalk.ErrTooLarge, name)
	case errors.Is(err, tcpmux.ErrExists):
		return fmt.Errorf("%w: %q", errExists, name)
	case errors.Is(err, tcpmux.ErrTooMany):
		return errTooMany
	case errors.As(err, &over), s.Err() != nil:
		return fmt.Errorf("%w: %v", errNoSession, err)
	case errors.As(err, &reset), errors.Is(err, tcpmux.ErrClosed), errors.Is(err, tcpmux.ErrPeerClosed):
		return fmt.Errorf("%w: %q: %v", errNoChannel, name, err)
	}
	return err
}
