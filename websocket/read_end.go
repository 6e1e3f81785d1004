package websocket

import (
	"errors"
	"io"
	"net"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// hangUp ends the connection for err, which came from reading: the peer is told why, if it can be. That it has heard
// it is not waited for. c.reading is held.
func (c *Conn) hangUp(err error) error {
	err = c.fail(c.lastWord(err))
	c.end(err)
	go c.pull.Finish(farewell(err))
	return err
}

// abandon ends a connection that nobody gets to see, unless its group has ended it already.
func (c *Conn) abandon(err error) {
	c.t.Abort() // whoever reads for the group gives up
	c.reading.Lock()
	defer c.reading.Unlock()
	if !c.over.Load() {
		c.end(err)
		c.pull.Finish(netconn.ErrAbort)
	}
}

// lastWord sends the close frame that answers err, and returns what the connection's users are told.
func (c *Conn) lastWord(err error) error {
	var (
		ce *CloseError
		pe *ProtocolError
	)
	switch {
	case errors.As(err, &ce):
		// RFC 6455 §5.5.1: "it typically echos the status code it received"
		if c.postClose(ce.Code, "") == net.ErrClosed && c.closer.Load() {
			return net.ErrClosed
		}
	case errors.As(err, &pe):
		c.postClose(pe.Code, pe.Msg)
	case errors.Is(err, ErrTooBig):
		c.postClose(CloseMessageTooBig, "")
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF // RFC 6455 §7.1.5: closed abnormally
	}
	return userError(err)
}

// farewell returns what the transport is told of the end for err.
func farewell(err error) error {
	var ce *CloseError
	if errors.As(err, &ce) {
		return netconn.ErrDone
	}
	return netconn.ErrDoneEarly
}
