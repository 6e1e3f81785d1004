package mux

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

// command is a command, one line of stdin.
type command struct {
	Do  string          `json:"do"`
	Tag json.RawMessage `json:"tag"`
	jsontalk.Payload
	Session *int    `json:"session"`
	Channel *string `json:"channel"`
	Code    *int64  `json:"code"`
}

// plainChannel is the channel for lines of stdin without -json.
const plainChannel = "0"

// InputEnded implements jsontalk.Handler. A listener keeps running.
func (r *run) InputEnded() {
	if !r.opt.Listen {
		r.End()
	}
}

// Room implements jsontalk.Handler.
func (r *run) Room(ctx context.Context) { r.sends.Room(ctx) }

// Line implements jsontalk.Handler. It sends the line on channel "0" and opens that channel if necessary.
func (r *run) Line(line []byte) {
	m := r.find(nil)
	if m == nil || !m.hold() {
		r.ReportError(nil, errNoSession)
		return
	}
	defer m.release(nil)
	mc := m.channel(plainChannel)
	if mc == nil {
		var err error
		if mc, err = m.open(plainChannel); err != nil {
			r.ReportError(nil, err)
			return
		}
	}
	r.send(m, mc, nil, bytes.Clone(line))
}

// Command implements jsontalk.Handler. Commands that have to wait are queued by r.sends.
func (r *run) Command(line []byte) {
	var c command
	if err := jsontalk.Parse(line, &c); err != nil {
		r.ReportError(c.Tag, err)
		return
	}
	switch c.Do {
	case "open", "send", "end", "reset", "pause", "resume":
		r.onChannel(&c)
	case "close":
		r.Out.OK(c.Tag)
		r.End()
	default:
		r.ReportUnknown(c.Tag, c.Do)
	}
}

// check reports an error in a command about a channel. For a send command it returns the payload.
func (c *command) check() ([]byte, error) {
	switch {
	case c.Channel == nil:
		return nil, jsontalk.Bad(`"channel" is wanted`)
	case len(*c.Channel) < 1 || len(*c.Channel) > tcpmux.MaxName:
		return nil, jsontalk.Bad("a channel's name has 1 to %d bytes", tcpmux.MaxName)
	case c.Do == "send":
		return c.Bytes()
	case c.Do == "reset" && c.Code != nil && (*c.Code < 0 || *c.Code > math.MaxUint32):
		return nil, jsontalk.Bad("%d is not a code", *c.Code)
	}
	return nil, nil
}

// onChannel carries out a command about a channel.
func (r *run) onChannel(c *command) {
	p, err := c.check()
	if err != nil {
		r.ReportError(c.Tag, err)
		return
	}
	m := r.find(c.Session)
	if m == nil || !m.hold() {
		r.ReportError(c.Tag, errNoSession)
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
		r.send(m, mc, c.Tag, p)
		return
	case c.Do == "end":
		r.finish(m, mc, c.Tag)
		return
	case c.Do == "reset":
		err = mc.reset(c.Code)
	case c.Do == "pause":
		mc.pause()
	default:
		mc.resume()
	}
	r.Answer(c.Tag, err)
}

// send sends p, after the sends that already wait for the channel. It answers the command when the session has accepted
// p.
func (r *run) send(m *session, mc *channel, tag json.RawMessage, p []byte) {
	if !r.sends.Busy(mc) {
		err := mc.c.TrySend(p)
		if !errors.Is(err, tcpmux.ErrWouldBlock) {
			mc.sent(tag, err)
			return
		}
	}
	if !m.hold() {
		r.ReportError(tag, errNoSession)
		return
	}
	r.sends.Send(mc, len(p), func() {
		err := mc.c.Send(context.Background(), p)
		mc.sent(tag, err)
		m.release(err)
	})
}

// finish carries out an end command, after the sends that wait for the channel.
func (r *run) finish(m *session, mc *channel, tag json.RawMessage) {
	if !m.hold() {
		r.ReportError(tag, errNoSession)
		return
	}
	r.sends.Then(mc, func() {
		r.Answer(tag, mc.wrap(mc.end()))
		m.release(nil)
	})
}
