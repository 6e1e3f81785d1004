package websocket

import (
	"net"
	"os"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// Close sends a close frame with code and reason and waits for the peer's close frame, for at most Config.CloseTimeout.
// Messages that arrive meanwhile are dropped (RFC 6455 §7.1.2). Messages that Send and its variants have accepted are
// sent before the close frame, within the same time: Err tells whether all of them left, and Dropped how many were still
// in the backlog. A reason longer than 123 bytes is cut. CloseNoStatus sends a frame without a code.
//
// Close returns net.ErrClosed if the connection was closed before, an error if code may not be sent, and
// os.ErrDeadlineExceeded if the peer did not take everything or did not answer in time. When it returns that or nil, the
// connection is over, and Err is os.ErrDeadlineExceeded if something was not sent in time, a *CloseError if the peer's close
// frame came before the backlog had left, which was then dropped, and net.ErrClosed otherwise.
//
// With Config.OnMessage, Close does not wait and may be called from a callback. OnClose is called at the end.
func (c *Conn) Close(code CloseCode, reason string) error {
	frame, err := c.closeFrame(code, reason)
	if err != nil {
		return err
	}
	err = c.sendClose(frame, closedBoth)
	if err == net.ErrClosed || c.pull == nil {
		return err
	}
	c.readToTheEnd() // also if the frame could not be sent: nobody else may come to end the connection
	if err == nil && c.expired.Load() {
		return os.ErrDeadlineExceeded
	}
	return err
}

// CloseWrite closes only the sending direction, like CloseWrite of a net.TCPConn. It sends a close frame and does not
// wait; messages of the peer are still read, up to its close frame or an error. Reads then end with net.ErrClosed. The
// peer has Config.CloseTimeout for this, from the call. Many peers, such as browsers, send nothing after they have
// received a close frame, but may have sent something before.
//
// CloseWrite returns net.ErrClosed if the connection was closed before, and an error if code may not be sent.
func (c *Conn) CloseWrite(code CloseCode, reason string) error {
	frame, err := c.closeFrame(code, reason)
	if err != nil {
		return err
	}
	return c.sendClose(frame, closedWrite)
}

// sendClose sends the close frame of Close or CloseWrite and records which one it is. It takes over frame, a buffer from
// the pool.
func (c *Conn) sendClose(frame []byte, how int32) error {
	if !c.closeState.CompareAndSwap(notClosed, how) {
		bufpool.Put(frame)
		return net.ErrClosed
	}
	c.abortLater()
	return c.postCloseLast(frame)
}

// readToTheEnd reads until the connection is over, and drops all messages.
func (c *Conn) readToTheEnd() {
	if c.pull == nil {
		return // the engine reads
	}
	c.reading.Lock()
	defer c.unlockReading()
	for !c.finished.Load() {
		c.t.SetReadDeadline(noDeadline)
		c.read(nil)
		c.in.release()
	}
}

// abortLater starts the timer that ends the connection after CloseTimeout.
func (c *Conn) abortLater() {
	if c.cfg.closeTimeout == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over.Load() {
		return
	}
	r := c.rareState()
	if r.closing != nil { // set by deferCloseAnswer
		r.closing.Stop()
	}
	r.closing = clock.AfterFunc(c.cfg.closeTimeout, c.expire)
}

// expire ends a connection whose peer did not take everything or did not answer the close frame within CloseTimeout. It
// drops the messages in line and tries to send the close frame.
func (c *Conn) expire() {
	c.expired.Store(true)
	c.mu.Lock()
	lost := false
	if o := c.outbox; o != nil {
		lost = o.messages > 0
		if last := o.clear(); last != nil {
			c.postCloseNow(last)
		}
	}
	if lost = lost || c.t.Unsent(); c.err == nil && lost {
		c.err = os.ErrDeadlineExceeded
	}
	c.mu.Unlock()
	c.t.Quit()
	c.cut()
}
