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

// open announces the connection and calls onOpen, on the connection's goroutine. What begins it waits for begun.
func (p *callbacks) open(answer []byte, onOpen func(c *Conn), begun chan<- error) error {
	c := (*Conn)(p)
	if err := c.announce(answer); err != nil {
		c.onClose = nil // it never was open
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
func (p *callbacks) Alarm() { (*Conn)(p).checkLife() }

// Data implements netconn.Protocol.
func (p *callbacks) Data(t *netconn.Conn, b []byte) (n int, err error) {
	c := (*Conn)(p)
	if c.in.over {
		return len(b), c.answered()
	}
	if c.pulse != nil {
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
		case e == message && c.closer.Load() == closedBoth: // RFC 6455 §7.1.2: after our close frame nobody wants it
		case e == message:
			c.onMessage(c, c.in.messageType(), payload)
		default:
			if err = c.answer(e, payload); c.answersLater(t, err) {
				return len(b), c.answered()
			}
		}
		if err != nil {
			return n, farewell(c.fail(c.lastWord(err)))
		}
		c.in.release()
		if c.ends.Load() == cutOff {
			return n, netconn.ErrAbort
		}
	}
}

// End implements netconn.Protocol.
func (p *callbacks) End(_ *netconn.Conn, err error) {
	c := (*Conn)(p)
	switch {
	case c.closed(), errors.Is(err, netconn.ErrAbort):
		err = net.ErrClosed
	case err == io.EOF:
		err = io.ErrUnexpectedEOF // RFC 6455 §7.1.5: closed abnormally
	}
	c.finish(c.afterPeerClose(userError(err)))
	if f := c.onClose; f != nil {
		f(c, c.Err())
	}
}
