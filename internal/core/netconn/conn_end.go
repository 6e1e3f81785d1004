package netconn

import (
	"io"
	"time"
)

// finish ends the connection with the error err; see Protocol. The connection's goroutine calls it once.
func (c runner) finish(err error) {
	c.readBy.Store(0)
	if c.ownership.is(hijacked) {
		hijackLatch{c.Conn}.left()
		c.callEnd(nil)
		c.releaseRunning()
		return
	}
	c.goneCalls().Clear()
	if c.aborted() {
		err = ErrAbort
	}
	if err == ErrSlow {
		c.LimitWrites(slowEndTimeout)
	}
	defer c.close(err) // also if End calls runtime.Goexit
	if isLast(err) {
		err = nil
	}
	c.callEnd(err)
}

// slowEndTimeout limits how long a peer that was too slow may take to receive the output that End appends.
const slowEndTimeout = time.Second

// close closes the connection and releases its resources.
func (c runner) close(err error) {
	end := endingFor(err, !c.in.Empty())
	if c.proto == nil && c.cfg.OnHandshakeError != nil && c.tr.Secured() {
		end.linger = true // the peer may have been sent the reason
	}
	c.shut(end)
	c.setState(StateClosed)
	c.in.TakeAll()
	c.releaseRunning()
	c.leaveEngine()
}

// callEnd calls the protocol's End. A panic there is logged and has no other effect.
func (c runner) callEnd(err error) {
	if c.proto == nil {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			c.eng.logPanic(c.RemoteAddr(), r)
		}
	}()
	c.out.Hold() // close sends what End appends
	c.proto.End(c.Conn, err)
}

// endOfInput handles the failure err of a read, and returns the error with which the connection ends. If the peer has
// closed its half, it first waits for outstanding work.
func (c runner) endOfInput(err error) error {
	if c.aborted() {
		return ErrAbort
	}
	c.goneCalls().Make()
	if p, ok := c.proto.(InputEnder); ok {
		p.EndOfInput(err)
	}
	if !isEnd(err) {
		return err
	}
	if c.work.busy() {
		c.ensureExtra().gone.Make() // also callbacks that are registered from now on
		if err := c.awaitWork(); err != nil {
			return err
		}
	}
	if !c.in.Empty() {
		return io.ErrUnexpectedEOF
	}
	return io.EOF
}
