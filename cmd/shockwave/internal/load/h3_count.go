package load

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// count counts the request, whose response is whole or failed with err.
func (x *h3Exchange) count(st *quic.Stream, err error) {
	t, s := x.conn, x.conn.slot
	if isRejected(err) {
		t.awaitGoAway()
	}
	s.shard.mu.Lock()
	defer s.shard.mu.Unlock()
	t.used--
	if s.shard.over {
		return
	}
	if err != nil {
		x.fail(st, err)
		return
	}
	now, tally := s.run.now(), s.shard.now
	tally.statuses[x.status]++
	var like *sameCheck
	if s.run.sameChecks != nil {
		like = &s.run.sameChecks[x.turn]
	}
	begun := x.begun
	if x.pieces == 1 {
		begun = 0
	}
	s.count(x.sent, begun, x.turn, now, like.wrong(x.status, x.length, &tally.errors))
}

// fail counts a request as an error. The shard's lock is held.
func (x *h3Exchange) fail(st *quic.Stream, err error) {
	t, s := x.conn, x.conn.slot
	errs, learned := &s.shard.now.errors, &s.shard.now.streams
	kind := &errs.Closed
	var reset *quic.StreamError
	switch {
	case errors.As(err, &reset) && reset.Remote:
		if isRejected(err) && t.goingAway {
			t.giveBack(x)
			return
		}
		learned.reset(h3frame.Code(reset.ErrorCode).String())
		kind = &errs.Reset
	case errors.Is(err, os.ErrDeadlineExceeded):
		kind = &errs.Timeout
		if t.lastInput.Load() <= x.sent.sent { // nothing at all has come since
			s.run.writers.Go(func() { t.end(h3frame.NoError) })
		}
	case t.quic.Context().Err() != nil:
		learned.fault(faultOf(context.Cause(t.quic.Context())))
		switch {
		case t.blame:
			t.blame, kind = false, &errs.Protocol
		case x.status != 0:
			kind = &errs.Length
		}
	default:
		learned.fault(err)
		t.broken = true
		kind = &errs.Protocol
	}
	*kind++
	if targets := s.shard.now.targets; targets != nil {
		targets[x.turn].Errors++
	}
	s.shard.inFlight--
	s.run.quota.settle(1)
}

// isRejected reports whether err says that the server has not processed the request (RFC 9114 §4.1.1).
func isRejected(err error) bool {
	reset, ok := errors.AsType[*quic.StreamError](err)
	return ok && reset.Remote && h3frame.Code(reset.ErrorCode) == h3frame.RequestRejected
}

// awaitGoAway waits for a GOAWAY that may be on its way: streams arrive in any order.
func (t *h3Conn) awaitGoAway() {
	timer := time.NewTimer(100 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-t.told:
	case <-t.quic.Context().Done():
	case <-timer.C:
	}
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

// giveBack treats a request as not sent, because the server has not processed it (RFC 9114 §5.2). The shard's lock is held.
func (t *h3Conn) giveBack(x *h3Exchange) {
	t.slot.unclaimOne(x.turn)
	t.may.Broadcast()
}

// readControl reads what the server says on streams of its own, until the connection ends.
func (t *h3Conn) readControl() {
	stop := context.AfterFunc(t.quic.Context(), t.noteEnd)
	defer stop()
	if st, err := t.quic.OpenUniStream(); err == nil {
		st.Write(h3frame.AppendSettings([]byte{byte(h3frame.ControlStream)}))
	}
	for {
		st, err := t.quic.AcceptUniStream(t.quic.Context())
		if err != nil {
			t.noteEnd()
			return
		}
		t.slot.run.writers.Go(func() { t.readStream(st) })
	}
}

// readStream reads a unidirectional stream of the server. Only its control stream means anything.
func (t *h3Conn) readStream(st *quic.ReceiveStream) {
	control := h3frame.Control{Server: true}
	buf, n := make([]byte, 512), 0
	isControl := false
	for {
		k, err := st.Read(buf[n:])
		n += k
		if !isControl && n > 0 {
			kind, size := h3frame.Varint(buf[:n])
			if size > 0 && h3frame.StreamType(kind) != h3frame.ControlStream {
				io.Copy(io.Discard, st)
				return
			}
			if isControl = size > 0; isControl {
				n = copy(buf, buf[size:n])
			}
		}
		if isControl {
			wrong := control.Read(buf[:n], t.event)
			if n = 0; wrong != nil {
				t.broke(wrong)
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// event handles what the control stream has brought.
func (t *h3Conn) event(ev *h3frame.Event) {
	if ev.Type != h3frame.GoAway {
		return
	}
	t.slot.shard.mu.Lock()
	defer t.slot.shard.mu.Unlock()
	if !t.goingAway {
		close(t.told)
		t.slot.shard.now.streams.goAway("H3_NO_ERROR", nil)
	}
	t.goingAway = true
	t.may.Broadcast()
}

// broke ends the connection, because the server broke a rule.
func (t *h3Conn) broke(wrong *h3frame.Error) {
	t.slot.shard.mu.Lock()
	t.broken, t.blame = true, t.used > 0
	if !t.blame {
		t.slot.shard.now.errors.Protocol++
	}
	t.slot.shard.now.streams.fault(wrong)
	t.slot.shard.mu.Unlock()
	t.end(wrong.Code)
}
