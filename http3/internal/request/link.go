package request

import (
	"crypto/tls"
	"net"
	"os"
	"time"

	"github.com/shockwave-go/shockwave/http3/internal/session"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// This file has the methods of carrier.Stream that an exchange calls, besides those for reading and writing.

// OnGone implements carrier.Link.
func (m *Stream) OnGone(f func()) netconn.GoneCall { return m.gone.set(m.str, func() { go f() }) }

// OnGoneInline implements carrier.Link.
func (m *Stream) OnGoneInline(f func()) netconn.GoneCall { return m.gone.set(m.str, f) }

// Gone implements carrier.Link.
func (m *Stream) Gone() bool { return m.gone.isNoted() || m.str.Unwanted() }

// NoteGone implements carrier.Link.
func (m *Stream) NoteGone() { m.gone.note() }

// TLS implements carrier.Link.
func (m *Stream) TLS() *tls.ConnectionState { return m.c.TLS.Of(m.c.QC) }

// LocalAddr implements carrier.Link.
func (m *Stream) LocalAddr() net.Addr { return m.c.QC.LocalAddr() }

// RemoteAddr implements carrier.Link.
func (m *Stream) RemoteAddr() net.Addr { return m.c.QC.RemoteAddr() }

// Wall implements carrier.Link.
func (m *Stream) Wall() time.Time { return m.c.Clock.Wall() }

// Draining implements carrier.Link.
func (m *Stream) Draining() bool { return m.c.Server.Draining.Load() }

// WireError implements carrier.Link.
func (m *Stream) WireError(op string, err error) error {
	switch err {
	case netconn.ErrSlow:
		err = os.ErrDeadlineExceeded
	case net.ErrClosed:
	default:
		return err
	}
	return netconn.OpError(op, err, m.LocalAddr(), m.RemoteAddr())
}

// Send implements carrier.Writer.
func (m *Stream) Send(head carrier.Section, a, b []byte, trailer carrier.Section, end carrier.End) error {
	if err := m.writer.send(head, a, b, trailer, end != carrier.More); err != nil {
		return err
	}
	if end != carrier.More {
		m.owner.Complete(end == carrier.CloseEnd)
	}
	return nil
}

// Last implements carrier.Writer.
func (m *Stream) Last() { m.owner.Complete(true) }

// Abort implements carrier.Writer.
func (m *Stream) Abort(why carrier.Reason) {
	code := h3frame.InternalError
	switch why {
	case carrier.Cancelled:
		code = h3frame.RequestCancelled
	case carrier.Broken:
		code = h3frame.ConnectError
	}
	m.Reset(code)
}

// SetTimeouts implements carrier.Writer.
func (m *Stream) SetTimeouts(read, write time.Duration) {
	m.reader.half.limit(m.c.Clock, read)
	m.writer.half.limit(m.c.Clock, write)
}

// SetReadDeadline implements carrier.Link.
func (m *Stream) SetReadDeadline(t time.Time) error {
	m.reader.half.setDeadline(m.c.Clock, m.c.Holder, t)
	return nil
}

// SetWriteDeadline implements carrier.Link.
func (m *Stream) SetWriteDeadline(t time.Time) error {
	m.writer.half.setDeadline(m.c.Clock, m.c.Holder, t)
	return nil
}

// Expire interrupts the calls of m that are due, and returns when the next one is due, 0 for never.
func (m *Stream) Expire(now clock.Moment) (next clock.Moment) {
	next = m.reader.half.expire(m.c.Clock, now, m.str.InterruptRead)
	return clock.Earlier(next, m.writer.half.expire(m.c.Clock, now, m.str.InterruptWrite))
}

// ReadExpired implements carrier.Tunnel.
func (m *Stream) ReadExpired() bool { return m.reader.half.hasPassed(m.c.Clock) }

// Interrupt implements carrier.Tunnel.
func (m *Stream) Interrupt(err error) {
	m.reader.half.interrupt(err)
	m.writer.half.interrupt(err)
	m.str.InterruptRead()
	m.str.InterruptWrite()
}

// TakeOver implements carrier.Tunnel.
func (m *Stream) TakeOver() {
	m.SetReadDeadline(time.Time{})
	m.SetWriteDeadline(time.Time{})
	m.AllowPauses()
	m.gone.remove()
	m.giveCredit() // there may be no response for hours
	m.writer.allowStalls()
	m.owner.SetTaken(true)
}

// Finish implements carrier.Tunnel. m is not reused, because its user may still hold it.
func (m *Stream) Finish() {
	m.owner.SetTaken(false)
	m.end()
}

// OpenSession implements session.Host. The handler has taken the stream over.
func (m *Stream) OpenSession(guest session.Guest) (ok bool) {
	return m.kind == sessionRequest && m.c.Sessions.Open(m.ID(), m, guest)
}

// HandlerFailed implements carrier.Watcher.
func (m *Stream) HandlerFailed() {
	if m.kind == sessionRequest {
		m.c.Sessions.HandlerFailed(m.ID())
	}
}
