package websocket

import (
	"errors"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/wsmessage"
)

// served is a connection with Config.OnMessage as the protocol that the engine runs. It belongs to the connection's
// goroutine, except for busy and half.
type served struct {
	c         *Conn
	onMessage func(c *Conn, t MessageType, p []byte)
	onClose   func(c *Conn, err error)
	half      *halfClosed // nil without Config.OnPeerClose
	busy      atomic.Bool // a callback may be running, so nothing is being read
}

var _ netconn.Protocol = (*served)(nil)

// open sends the response to the handshake and calls onOpen. It sends the result to begun.
func (p *served) open(response []byte, onOpen func(c *Conn), begun chan<- error) error {
	if err := p.c.announce(response); err != nil {
		p.onClose = nil // it has never been open
		begun <- err
		return netconn.ErrAbort
	}
	begun <- nil
	if onOpen != nil {
		p.busy.Store(true)
		onOpen(p.c)
		p.busy.Store(false)
	}
	return nil
}

// Drain implements netconn.Drainer.
func (p *served) Drain() { p.c.recv.goAway() }

// Alarm implements netconn.Alarmer.
func (p *served) Alarm() {
	if p.half.deferred() {
		return // the peer need not answer any more
	}
	p.c.checkPeer(!p.busy.Load())
}

// Data implements netconn.Protocol.
func (p *served) Data(t *netconn.Conn, b []byte) (n int, err error) {
	c, in := p.c, &p.c.recv.in
	if p.half.deferred() {
		return len(b), p.afterPeerClose()
	}
	if h := c.recv.heartbeat; h != nil {
		h.heard(c.send.link)
		p.busy.Store(true)
		defer p.busy.Store(false)
	}
	for n < len(b) {
		e, payload, k, err := in.next(b[n:], nil, c.send.compress)
		n += k
		switch {
		case err != nil:
		case e == wsmessage.Nothing:
			return n, nil
		case e == wsmessage.Message && c.send.dropsMessages():
		case e == wsmessage.Message:
			p.onMessage(c, in.messageType(), payload)
		default:
			if err = c.send.answer(e, payload); p.deferAnswer(t, err) {
				return len(b), p.afterPeerClose()
			}
		}
		if err != nil {
			return n, transportEnd(c.send.fail(c.send.closeFor(err)))
		}
		in.Release()
		if c.send.cutOff() {
			return n, netconn.ErrAbort
		}
	}
	return n, nil
}

// End implements netconn.Protocol.
func (p *served) End(_ *netconn.Conn, err error) {
	if p.c.send.closed() || errors.Is(err, netconn.ErrAbort) {
		err = ErrClosed
	}
	p.c.recv.finish(p.half.endError(endError(err)))
	if p.onClose != nil {
		p.onClose(p.c, p.c.Err())
	}
}

// conclude implements owner.
func (p *served) conclude() { p.c.recv.expireLater() }

// cutNow implements owner.
func (p *served) cutNow() error { return p.c.recv.cutNow() }

// closeSent implements owner.
func (p *served) closeSent() { p.half.closeSent() }

// leave implements owner.
func (p *served) leave() { p.c.leaveRooms() }
