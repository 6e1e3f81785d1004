package websocket

import (
	"errors"
	"io"
	"net"
	"os"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// hangUp ends the connection for err, which came from reading: the peer is told why, if it can be. That it has heard
// it is not waited for. c.reading is held.
func (c *Conn) hangUp(err error) error {
	err = c.fail(c.lastWord(err))
	c.finish(err)
	go c.pull.Finish(farewell(err))
	return c.told(err)
}

// told returns err, with which the connection has ended, as readers are told it: that Close had to give something up is told
// by Close and Err, and is no read deadline.
func (c *Conn) told(err error) error {
	if c.closed() && err == os.ErrDeadlineExceeded {
		return net.ErrClosed
	}
	return err
}

// What others than a connection's reader have decided about it.
const (
	goesOn int32 = iota
	broken       // writing has failed
	cutOff       // CloseNow was called, or as much
)

// cut has a connection end that has been cut off: its reader does it, the engine if that reads.
func (c *Conn) cut() {
	c.ends.Store(cutOff)
	c.endUnread()
}

// Broke implements netconn.Breaker.
func (p *pulled) Broke() {
	c := (*Conn)(p)
	c.ends.CompareAndSwap(goesOn, broken)
	c.endUnread()
}

// doneReading is for who has read: what was decided meanwhile and left to them is done now.
func (c *Conn) doneReading() {
	c.reading.Unlock()
	c.endUnread()
}

// endUnread ends a connection for which that is decided, unless somebody reads from it: they do it.
func (c *Conn) endUnread() {
	if !c.mustEnd() || c.pull == nil || !c.reading.TryLock() {
		return
	}
	defer c.doneReading()
	switch {
	case !c.mustEnd():
	case c.ends.Load() == cutOff:
		c.hangUp(net.ErrClosed)
	default:
		c.end(writeError(c.t.WriteError()))
		if d := c.set.closeTimeout; d > 0 {
			time.AfterFunc(d, c.cut) // until then what has arrived can be read
		}
	}
}

// mustEnd reports whether there is something to do for endUnread.
func (c *Conn) mustEnd() bool {
	switch c.ends.Load() {
	case cutOff:
		return !c.finished.Load()
	case broken:
		return !c.over.Load()
	}
	return false
}

// abandon ends a connection that nobody gets to see, unless its group has ended it already.
func (c *Conn) abandon(err error) {
	c.t.Abort() // whoever reads for the group gives up
	c.reading.Lock()
	defer c.reading.Unlock()
	if !c.finished.Load() {
		c.finish(err)
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
		if c.postClose(ce.Code, "") == net.ErrClosed && c.closed() {
			return net.ErrClosed
		}
	case c.closed():
		return net.ErrClosed
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
