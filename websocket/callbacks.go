package websocket

import (
	"errors"
	"io"
	"net"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// callbacks are a Conn as the engine sees it: with Config.OnMessage it is the engine that reads.
type callbacks Conn

var _ netconn.Protocol = (*callbacks)(nil)

// open is called on the connection's goroutine before all else.
func (p *callbacks) open(*netconn.Conn) (netconn.Protocol, error) {
	if f := p.set.OnOpen; f != nil {
		p.busy.Store(true)
		f((*Conn)(p))
		p.busy.Store(false)
	}
	return p, nil
}

// Data implements netconn.Protocol.
func (p *callbacks) Data(_ *netconn.Conn, b []byte) (n int, err error) {
	c := (*Conn)(p)
	if c.set.PingInterval > 0 {
		c.noteSign()
		c.busy.Store(true)
		defer c.busy.Store(false)
	}
	for {
		e, payload, k, err := c.in.take(b[n:], nil)
		n += k
		switch {
		case err != nil:
		case e == nothing:
			return n, nil
		case e == message:
			c.set.OnMessage(c, c.in.messageType(), payload)
		default:
			err = c.answer(e, payload)
		}
		if err != nil {
			return n, farewell(c.fail(c.lastWord(err)))
		}
		c.in.release()
	}
}

// End implements netconn.Protocol.
func (p *callbacks) End(_ *netconn.Conn, err error) {
	c := (*Conn)(p)
	switch {
	case errors.Is(err, netconn.ErrAbort):
		err = net.ErrClosed
	case err == io.EOF:
		err = io.ErrUnexpectedEOF // RFC 6455 §7.1.5: closed abnormally
	}
	c.end(err)
	if f := c.set.OnClose; f != nil {
		f(c, c.Err())
	}
}
