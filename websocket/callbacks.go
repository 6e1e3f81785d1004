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

// serve has the engine read c. onOpen is called on the connection's goroutine before all else.
func (c *Conn) serve(onOpen func(c *Conn)) {
	c.t.Serve(func(*netconn.Conn) (netconn.Protocol, error) {
		if onOpen != nil {
			c.busy.Store(true)
			onOpen(c)
			c.busy.Store(false)
		}
		return (*callbacks)(c), nil
	})
}

// Data implements netconn.Protocol.
func (p *callbacks) Data(_ *netconn.Conn, b []byte) (n int, err error) {
	c := (*Conn)(p)
	if c.set.pingInterval > 0 {
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
			c.set.onMessage(c, c.in.messageType(), payload)
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
	if f := c.set.onClose; f != nil {
		f(c, c.Err())
	}
}
