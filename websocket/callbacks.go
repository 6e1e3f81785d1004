package websocket

import (
	"errors"
	"net"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// callbacks is a Conn with Config.OnMessage, as the protocol that the engine runs.
type callbacks Conn

var _ netconn.Protocol = (*callbacks)(nil)

// open sends the answer to the handshake and calls onOpen, on the connection's goroutine. It sends the result to begun.
func (p *callbacks) open(answer []byte, onOpen func(c *Conn), begun chan<- error) error {
	c := (*Conn)(p)
	if err := c.announce(answer); err != nil {
		c.onClose = nil // it has never been open
		begun <- err
		return netconn.ErrAbort
	}
	begun <- nil
	if onOpen != nil {
		c.busy.Store(true)
		onOpen(c)
		c.busy.Store(false)
	}
	return nil
}

// Drain implements netconn.Drainer.
func (p *callbacks) Drain() { (*Conn)(p).goAway() }

// Alarm implements netconn.Alarmer.
func (p *callbacks) Alarm() { (*Conn)(p).checkHeartbeat() }

// Data implements netconn.Protocol.
func (p *callbacks) Data(t *netconn.Conn, b []byte) (n int, err error) {
	c := (*Conn)(p)
	if c.in.peerClosed {
		return len(b), c.dataAfterPeerClose()
	}
	if c.heartbeat != nil {
		c.noteActivity()
		c.busy.Store(true)
		defer c.busy.Store(false)
	}
	for n < len(b) {
		e, payload, k, err := c.in.take(b[n:], nil)
		n += k
		switch {
		case err != nil:
		case e == nothing:
			return n, nil
		case e == message && c.closeState.Load() == closedBoth: // RFC 6455 §7.1.2: messages after our close frame are dropped
		case e == message:
			c.onMessage(c, c.in.messageType(), payload)
		default:
			if err = c.answer(e, payload); c.deferCloseAnswer(t, err) {
				return len(b), c.dataAfterPeerClose()
			}
		}
		if err != nil {
			return n, transportEnd(c.fail(c.sendCloseFor(err)))
		}
		c.in.release()
		if c.endState.Load() == endCutOff {
			return n, netconn.ErrAbort
		}
	}
	return n, nil
}

// End implements netconn.Protocol.
func (p *callbacks) End(_ *netconn.Conn, err error) {
	c := (*Conn)(p)
	if c.closed() || errors.Is(err, netconn.ErrAbort) {
		err = net.ErrClosed
	}
	c.finish(c.afterPeerClose(endError(err)))
	if f := c.onClose; f != nil {
		f(c, c.Err())
	}
}
