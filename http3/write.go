package http3

import (
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// directly is the length from which content is not copied behind its frame's header, and pieceSize how much of it a client must take in
// the time that the minimum rate gives for that. atOnce is how much of a message is given to QUIC
// without waiting until it is sent: QUIC copies that, as much as the peer's flow control allows, which says nothing about what it takes.
const (
	directly  = 2 << 10
	pieceSize = 16 << 10
	atOnce    = 16 << 10
)

// Send implements carrier.Writer.
func (m *stream) Send(head carrier.Section, a, b []byte, trailer carrier.Section, end carrier.End) error {
	w := &m.writer
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return m.endedError()
	}
	if err := m.checkWriteDeadline(); err != nil {
		return err
	}
	out := w.out[:0]
	if head != nil {
		out = appendSection(out, &w.fields, head)
		if err := m.checkSize(); err != nil {
			return err
		}
		w.headSent = true
	}
	if n := len(a) + len(b); n > 0 {
		out = append(h3frame.AppendHeader(out, h3frame.Data, uint64(n)), a...)
	}
	if len(b) < directly {
		out, b = append(out, b...), nil
	}
	if len(b) > 0 {
		if err := m.write(out); err != nil {
			return err
		}
		if err := m.write(b); err != nil {
			return err
		}
		out = out[:0]
	}
	if trailer != nil {
		out = appendSection(out, &w.fields, trailer)
		if err := m.checkSize(); err != nil {
			return err
		}
	}
	w.out = out[:0]
	if err := m.write(out); err != nil {
		return err
	}
	if end != carrier.More {
		w.ended = true
		m.str.end()
		if end == carrier.CloseEnd || m.k.isSpent() {
			m.Last()
		}
	}
	return nil
}

// endedError returns why nothing can be sent.
func (m *stream) endedError() error {
	if m.str.unwanted() {
		return errUnwanted
	}
	return errAborted
}

var (
	errUnwanted = &StreamError{Code: uint64(h3frame.RequestCancelled)}
	errAborted  = &h3frame.Error{Code: h3frame.InternalError, Violation: shockwave.Violation{Who: shockwave.Local, Rule: "RFC 9114 §4.1", Msg: "the stream has ended"}}
)

// write gives p to QUIC. It waits while the client takes too little. The caller must hold w.mu.
func (m *stream) write(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	w, set := &m.writer, m.s.settings
	if w.quick += len(p); w.quick <= atOnce {
		if done, err := m.str.writeAll(p); done || err != nil {
			return m.writeError(err)
		}
	}
	w.quick = atOnce
	rate := set.MinWriteRate
	if w.stalls {
		rate = 0
	}
	for len(p) > 0 {
		piece := min(len(p), pieceSize)
		taking := pace{bytes: int64(piece)}
		began, err := m.beginWait(&w.wait, taking.left(rate, slowWriter*set.RateGrace))
		if err != nil {
			return err
		}
		n, err := m.str.write(p)
		p = p[n:]
		_, why := m.endWait(&w.wait, began)
		switch {
		case err == nil:
		case !wasInterrupted(err):
			return m.writeError(err)
		case why != nil && (why != netconn.ErrSlow || n < piece || m.checkWriteDeadline() != nil):
			m.str.writeAgain()
			m.noteSlow(why)
			return why
		default:
			m.str.writeAgain() // the client takes enough, or a deadline was set anew
		}
	}
	return nil
}

// slowWriter is how many times RateGrace a client may take nothing at first, as over TCP.
const slowWriter = 3

// checkWriteDeadline fails if the write deadline has passed: then nothing more is sent, also what the client would take at once.
func (m *stream) checkWriteDeadline() error {
	w := &m.writer.wait
	if !m.writer.timed.Load() {
		return nil
	}
	m.k.mu.Lock()
	defer m.k.mu.Unlock()
	if clock.Passed(m.s.clock.Moment(w.deadline), m.s.clock.Now()) {
		return netconn.ErrSlow
	}
	return nil
}

// writeError returns the error of a write that has failed with err.
func (m *stream) writeError(err error) error {
	if err == nil {
		return nil
	}
	m.writer.ended = true
	return translate(err)
}

// Inform implements carrier.Writer.
func (m *stream) Inform(s carrier.Section, _ bool) error {
	w := &m.writer
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.headSent || w.ended {
		return nil
	}
	if err := m.checkWriteDeadline(); err != nil {
		return err
	}
	w.out = appendSection(w.out[:0], &w.fields, s)
	if m.checkSize() != nil {
		return nil // the final answer does without
	}
	return m.write(w.out)
}

// Flush implements carrier.Writer. Nothing is queued here.
func (m *stream) Flush() error { return nil }

// Abort implements carrier.Writer.
func (m *stream) Abort(why carrier.Reason) {
	code := h3frame.InternalError
	switch why {
	case carrier.Cancelled:
		code = h3frame.RequestCancelled
	case carrier.Broken:
		code = h3frame.ConnectError
	}
	m.abort(code)
}

// Last implements carrier.Writer.
func (m *stream) Last() { go m.k.drain() }

// isSpent reports whether the connection has had as many requests as it may have.
func (k *conn) isSpent() bool {
	most := k.s.settings.MaxRequests
	if most <= 0 {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.served >= most
}

// TakeOver implements carrier.Tunnel.
func (m *stream) TakeOver() {
	k := m.k
	m.SetReadDeadline(time.Time{})
	m.SetWriteDeadline(time.Time{})
	m.AllowPauses()
	m.gone.remove()
	m.giveCredit()
	m.writer.mu.Lock()
	m.writer.stalls = true
	m.writer.mu.Unlock()
	m.giveCredit() // there may be no answer for hours
	k.mu.Lock()
	k.taken++
	k.noteIdle()
	leave := k.mayLeave()
	k.mu.Unlock()
	if leave {
		k.s.leave(k)
	}
}

// Finish implements carrier.Tunnel. m is not used again: its user may still hold it.
func (m *stream) Finish() {
	m.k.mu.Lock()
	m.k.taken--
	m.k.mu.Unlock()
	m.over()
}
