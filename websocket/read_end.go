package websocket

import (
	"context"
	"errors"
	"io"
	"net"
	"os"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// readFailed returns the error for the user when reading has failed with err. Unless only the read deadline has passed,
// or the read was interrupted, it ends the connection. c.reading must be held.
func (c *Conn) readFailed(err error) error {
	switch {
	case err == netconn.ErrInterrupted:
	case errors.Is(err, os.ErrDeadlineExceeded) && c.t.WriteError() == nil: // an expired write deadline breaks the connection
		err = os.ErrDeadlineExceeded
	default:
		return c.hangUp(err)
	}
	c.in.keepLent()
	return err
}

// readExpired returns the error of a read after the read deadline, which also holds for what has arrived already.
// c.reading must be held.
func (c *Conn) readExpired() error {
	if !c.t.ReadExpired() || c.finished.Load() {
		return nil
	}
	return c.readFailed(netconn.ErrSlow)
}

// hangUp ends the connection because of err, the error of a read. It sends a close frame if the peer can still be told
// why, but does not wait until it has left. c.reading must be held.
func (c *Conn) hangUp(err error) error {
	err = c.fail(c.sendCloseFor(err))
	c.finish(err)
	go c.pull.Finish(transportEnd(err))
	return c.readError(err)
}

// readError returns the error of a read after the connection has ended with err. If Close gave up on unsent output,
// Close and Err say so; a read must not return os.ErrDeadlineExceeded then, which would look like a read deadline.
func (c *Conn) readError(err error) error {
	if c.closed() && err == os.ErrDeadlineExceeded {
		return net.ErrClosed
	}
	return err
}

// The values of Conn.endState: what goroutines other than the reader have decided about the connection.
const (
	endNone        int32 = iota
	endWriteFailed       // writing has failed
	endCutOff            // the connection has been cut off, by CloseNow for example
)

// cut ends the connection without another close frame. If a goroutine or the engine is reading, that does the work.
func (c *Conn) cut() {
	c.endState.Store(endCutOff)
	c.endIfUnread()
}

// Broke implements netconn.Breaker.
func (p *pulled) Broke() {
	c := (*Conn)(p)
	c.endState.CompareAndSwap(endNone, endWriteFailed)
	c.endIfUnread()
}

// unlockReading ends a read. If the end of the connection was decided meanwhile, it is carried out now.
func (c *Conn) unlockReading() {
	c.reading.Unlock()
	if c.endState.Load() != endNone {
		c.endIfUnread()
	}
}

// endIfUnread ends the connection if that has been decided, unless a goroutine is reading: that one does it in
// unlockReading.
func (c *Conn) endIfUnread() {
	if !c.endPending() || c.pull == nil || !c.reading.TryLock() {
		return
	}
	defer c.unlockReading()
	switch {
	case !c.endPending():
	case c.endState.Load() == endCutOff:
		c.hangUp(net.ErrClosed)
	default:
		c.end(endError(c.t.WriteError()))
		if d := c.cfg.closeTimeout; d > 0 {
			clock.AfterFunc(d, c.cut) // until then, data that has arrived can still be read
		}
	}
}

// endPending reports whether endIfUnread has something to do.
func (c *Conn) endPending() bool {
	switch c.endState.Load() {
	case endCutOff:
		return !c.finished.Load()
	case endWriteFailed:
		return !c.over.Load()
	}
	return false
}

// abandon ends a connection that failed to open, unless its group has ended it already.
func (c *Conn) abandon(err error) {
	c.t.Abort() // wakes a reader that works for the group
	c.reading.Lock()
	defer c.reading.Unlock()
	if !c.finished.Load() {
		c.finish(err)
		c.pull.Finish(netconn.ErrAbort)
	}
}

// sendCloseFor sends the close frame that err calls for, if any, and returns the error for the user.
func (c *Conn) sendCloseFor(err error) error {
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
	}
	return endError(err)
}

// endError returns the reason for the user why the connection has ended, where err is the error of a read or of a write. If
// it came from below the connection is closed abnormally (RFC 6455 §7.1.5).
func endError(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	err = userError(err)
	for _, ours := range [...]error{nil, net.ErrClosed, os.ErrDeadlineExceeded, context.Canceled, context.DeadlineExceeded, errPanicked,
		ErrSilent, ErrTooBig, ErrSlowPeer, netconn.ErrIdle, netconn.ErrShutdown} {
		if errors.Is(err, ours) {
			return err
		}
	}
	if errors.As(err, new(*CloseError)) || errors.As(err, new(*ProtocolError)) {
		return err
	}
	return &CloseError{Code: CloseAbnormal, cause: err}
}

// transportEnd returns what the transport is to end with when the connection ended with err.
func transportEnd(err error) error {
	var ce *CloseError
	if errors.As(err, &ce) && ce.cause == nil {
		return netconn.ErrDone
	}
	return netconn.ErrDoneEarly
}
