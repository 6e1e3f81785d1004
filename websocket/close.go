package websocket

import (
	"net"
	"os"
	"time"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// Close sends a close frame with code and reason and waits for the peer's, at most Config.CloseTimeout; messages that
// come meanwhile are dropped (RFC 6455 §7.1.2). What Send and its kind have accepted leaves before the close frame, within
// that time: Err reports whether all of it did, Dropped how many messages still waited in the backlog. A reason longer than
// 123 bytes is cut. CloseNoStatus sends a frame without a code.
//
// It returns net.ErrClosed if the connection has been closed before, an error if code cannot be sent, and
// os.ErrDeadlineExceeded if the peer did not take what was sent, or did not answer; the connection is over in any case but
// that of the code. Err is os.ErrDeadlineExceeded, too, if something was not sent, else net.ErrClosed.
//
// With Config.OnMessage it does not wait: it may be called by a callback. OnClose tells the end.
func (c *Conn) Close(code CloseCode, reason string) error {
	frame, err := c.closeFrame(code, reason)
	if err != nil {
		return err
	}
	if err := c.say(frame, closedBoth); err != nil || c.pull == nil {
		return err
	}
	c.readToTheEnd()
	if c.expired.Load() {
		return os.ErrDeadlineExceeded
	}
	return nil
}

// CloseWrite is Close that ends only what this end sends, as CloseWrite of a net.TCPConn does: it does not wait, and what
// the peer still says is read as before, up to its close frame or an error. Then reading ends with net.ErrClosed. The peer
// has CloseTimeout for that, from the call. Peers that send nothing once they have seen a close frame, as browsers do, may
// have sent something before.
//
// It returns net.ErrClosed if the connection has been closed before, and an error if code cannot be sent.
func (c *Conn) CloseWrite(code CloseCode, reason string) error {
	frame, err := c.closeFrame(code, reason)
	if err != nil {
		return err
	}
	return c.say(frame, closedWrite)
}

// say sends the close frame of a Close that is how. frame is leased, and given back.
func (c *Conn) say(frame []byte, how int32) error {
	if !c.closer.CompareAndSwap(notClosed, how) {
		bufpool.Put(frame)
		return net.ErrClosed
	}
	c.abortLater()
	return c.postLast(frame)
}

// readToTheEnd drops what comes, until the connection is over.
func (c *Conn) readToTheEnd() {
	if c.pull == nil {
		return // the engine reads
	}
	c.reading.Lock()
	defer c.doneReading()
	for !c.finished.Load() {
		c.t.SetReadDeadline(noDeadline)
		c.read(nil)
		c.in.release()
	}
}

// abortLater ends the connection when CloseTimeout has passed, unless it is over then.
func (c *Conn) abortLater() {
	if c.set.closeTimeout == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over.Load() {
		return
	}
	r := c.rarely()
	if r.closing != nil { // a peer's close frame has waited for this one
		r.closing.Stop()
	}
	r.closing = time.AfterFunc(c.set.closeTimeout, c.expire)
}

// expire ends a connection whose peer has not taken what was sent, or not answered the close frame. The close frame goes
// before what is still in line.
func (c *Conn) expire() {
	c.expired.Store(true)
	c.mu.Lock()
	lost := false
	if o := c.outbox; o != nil {
		lost = o.messages > 0
		if last := o.clear(); last != nil {
			c.postNow(last)
		}
	}
	if lost = lost || c.t.Unsent(); c.err == nil && lost {
		c.err = os.ErrDeadlineExceeded
	}
	c.mu.Unlock()
	c.t.Quit()
	c.cut()
}
