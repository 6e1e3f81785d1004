package h3

import (
	"context"
	"errors"
	"os"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// count counts the request, whose response is whole or failed with err.
func (x *exchange) count(err error) {
	c, s := x.conn, x.conn.slot
	if isRejected(err) {
		c.awaitGoAway()
	}
	s.Lock()
	defer s.Unlock()
	c.used--
	if s.Over() {
		return
	}
	if err != nil {
		x.fail(err)
		return
	}
	begun := x.begun
	if x.pieces == 1 {
		begun = 0
	}
	s.Answered(x.sent, begun, x.turn, s.Now(), s.Judge(x.status, x.length, x.turn))
}

// fail counts a request as an error. The slot's lock is held.
func (x *exchange) fail(err error) {
	c, s := x.conn, x.conn.slot
	errs, learned := &s.Tally().Errors, &s.Tally().Streams
	kind := &errs.Closed
	var reset *quic.StreamError
	switch {
	case errors.As(err, &reset) && reset.Remote:
		if isRejected(err) && c.goingAway {
			c.giveBack(x)
			return
		}
		learned.Reset(h3frame.Code(reset.ErrorCode).String())
		kind = &errs.Reset
	case errors.Is(err, os.ErrDeadlineExceeded):
		kind = &errs.Timeout
		if c.lastInput.Load() <= x.sent.Sent { // nothing at all has come since
			s.Go(func() { c.end(h3frame.NoError) })
		}
	case c.quic.Context().Err() != nil:
		learned.NoteFault(faultOf(context.Cause(c.quic.Context())))
		switch {
		case c.blame:
			c.blame, kind = false, &errs.Protocol
		case x.status != 0:
			kind = &errs.Length
		}
	default:
		learned.NoteFault(err)
		c.broken = true
		kind = &errs.Protocol
	}
	s.Fail(kind, x.turn)
}

// isRejected reports whether err says that the server has not processed the request (RFC 9114 §4.1.1).
func isRejected(err error) bool {
	reset, ok := errors.AsType[*quic.StreamError](err)
	return ok && reset.Remote && h3frame.Code(reset.ErrorCode) == h3frame.RequestRejected
}

// faultOf returns the error of a connection that ended by a rule that the server broke, nil if it ended otherwise.
func faultOf(err error) error {
	var rule *h3frame.Error
	var section *qpack.Error
	var transport *quic.TransportError
	switch {
	case errors.As(err, &rule), errors.As(err, &section):
		return err
	case errors.As(err, &transport) && !transport.Remote && transport.ErrorCode != quic.NoError:
		return err
	}
	return nil
}
