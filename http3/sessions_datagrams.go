package http3

import "github.com/shockwave-go/shockwave"

import (
	"context"

	"github.com/shockwave-go/shockwave/http3/internal/session"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

var errDatagram = &h3frame.Error{Code: h3frame.DatagramError, Violation: shockwave.Violation{Rule: "RFC 9297 §2.1", Msg: "datagram that does not say what it belongs to"}}

// receive gives the client's datagrams to their sessions, until the connection ends. Those of other streams are dropped. It runs from
// the first session on; what has come before waits in QUIC, which bounds it.
func (a *sessions) receive() {
	for {
		p, err := a.k.qc.receiveDatagram()
		if err != nil {
			return
		}
		id, n, ok := h3frame.DatagramSession(p)
		if !ok {
			a.k.fail(errDatagram)
			return
		}
		if g := a.guest(id); g != nil {
			g.AddDatagram(p[n:])
		}
	}
}

// outgoing is a datagram that is to be sent. sent gets the result.
type outgoing struct {
	p    []byte
	sent chan<- error
}

// send sends the datagrams, until the connection ends. QUIC's queue may be full, and waiting for it has no end but the connection's:
// it is this goroutine that waits.
func (a *sessions) send() {
	for {
		select {
		case o := <-a.out:
			o.sent <- a.k.qc.sendDatagram(o.p)
		case <-a.k.qc.ended():
			return
		}
	}
}

// SendDatagram implements session.Conn.
func (c *sessionConn) SendDatagram(ctx context.Context, p []byte) error {
	a := c.a
	a.sending.Do(func() { go a.send() })
	b := h3frame.AppendVarint(make([]byte, 0, 8+len(p)), c.id/4)
	front := len(b)
	sent := make(chan error, 1)
	select {
	case a.out <- outgoing{append(b, p...), sent}:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-a.k.qc.ended():
		return errClosing
	}
	select {
	case err := <-sent:
		if e, ok := err.(*session.TooLargeError); ok {
			e.Most -= front
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-a.k.qc.ended():
		return errClosing
	}
}
