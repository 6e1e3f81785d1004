package session

import (
	"context"
	"errors"
	"sync"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// datagrams sends the datagrams of all sessions of a connection. QUIC's queue may be full, and a wait for it ends only with the
// connection, so a goroutine of its own waits, from the first datagram on.
type datagrams struct {
	qc      QUIC
	out     chan outgoing
	sending sync.Once
}

// outgoing is a datagram to be sent. sent receives the result.
type outgoing struct {
	p    []byte
	sent chan<- error
}

// errEnded is the error of datagrams of a connection that has ended.
var errEnded = errors.New("http3: the connection has ended")

// run sends the datagrams, until the connection ends.
func (d *datagrams) run() {
	for {
		select {
		case o := <-d.out:
			o.sent <- d.qc.SendDatagram(o.p)
		case <-d.qc.Ended():
			return
		}
	}
}

// send sends a datagram of the session id. It does not keep p.
func (d *datagrams) send(ctx context.Context, id uint64, p []byte) error {
	d.sending.Do(func() { go d.run() })
	b := h3frame.AppendVarint(make([]byte, 0, 8+len(p)), id/4)
	front := len(b)
	sent := make(chan error, 1)
	select {
	case d.out <- outgoing{append(b, p...), sent}:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-d.qc.Ended():
		return errEnded
	}
	select {
	case err := <-sent:
		if e, ok := err.(*TooLargeError); ok {
			e.Most -= front
		}
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-d.qc.Ended():
		return errEnded
	}
}
