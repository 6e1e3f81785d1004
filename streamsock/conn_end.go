package streamsock

import (
	"errors"
	"io"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// stop ends the connection because of err, which was found in the input.
func (c *conn) stop(err error) (n int, _ error) {
	end := endOf(err, c.framed())
	if end.Reason == ReasonClosed {
		c.close.received = true
		if !c.frames.whole() {
			end.Reason = ReasonTruncated
		}
		c.peerEnded(end)
		c.peer.mu.Lock()
		c.endWithLocked(end) // the answer follows the queued messages (RFC 6455 §5.5.1)
		c.peer.mu.Unlock()
		return len(c.nc.Unread()), c.checkEnd()
	}
	c.discarding = true
	c.peer.mu.Lock()
	c.ending.close(end, 0)
	c.peer.mu.Unlock()
	c.sendClose(end)
	return len(c.nc.Unread()), netconn.ErrDone
}

// fail ends the connection at once because of err, which this side has found.
func (c *conn) fail(err error) {
	p := c.peer
	p.mu.Lock()
	c.ending.close(endOf(err, c.framed()), 0)
	p.room.Broadcast()
	p.mu.Unlock()
	c.nc.Quit()
}

// peerEnded is called when the peer has ended its half, or has sent a close frame. Messages sent until the user knows of it
// are still sent.
func (c *conn) peerEnded(end End) {
	p := c.peer
	p.mu.Lock()
	end.Returns = p.mayReturnLocked()
	first := c.ending.tell(end)
	p.mu.Unlock()
	if !first {
		return
	}
	if !end.Returns {
		p.sock.peers.noteLeaving(p)
	}
	p.notify(c, EventDisconnected, &end)
}

// isClosing reports whether nothing but queued messages will be sent.
func (c *conn) isClosing() bool {
	c.peer.mu.Lock()
	defer c.peer.mu.Unlock()
	return c.ending.closing
}

// checkEnd returns the error that ends the connection if it is closing and all is sent, else nil. It runs on the
// connection's goroutine.
func (c *conn) checkEnd() error {
	p := c.peer
	p.mu.Lock()
	closing, drained, end := c.ending.closing, c.drainedLocked() && !c.writer.busy, c.ending.why
	p.mu.Unlock()
	switch {
	case !closing:
		return nil
	case c.lingerOver.Load():
		if c.delivery == deliveryUnknown && c.nc.Unsent() {
			c.delivery = deliveryCut
		}
		return netconn.ErrAbort
	case !drained:
		return nil
	}
	c.discarding = true
	if !c.close.sent && !c.nc.Unsent() {
		c.delivery = deliveredAll
	}
	c.sendClose(end)
	if c.framed() && !c.close.received {
		return nil // wait for the peer's close frame
	}
	return netconn.ErrDone
}

// drainedLocked reports whether the queue has no message for this connection.
func (c *conn) drainedLocked() bool {
	return c.peer.queue.empty() || c.ending.closing && c.ending.left <= 0
}

// sendClose sends a close frame (RFC 6455 §5.5.1), once.
func (c *conn) sendClose(end End) {
	if !c.framed() || c.close.sent {
		return
	}
	c.close.sent = true
	code, text := end.Code, end.Text
	if end.Reason == ReasonClosed || end.Reason == ReasonTruncated {
		text = "" // an answer repeats only the code
	}
	p, err := wsframe.AppendClose(nil, wsframe.CloseCode(code), text)
	if err != nil {
		p = nil
	}
	_, _ = c.nc.Post(netconn.Final, c.frames.append(nil, wsframe.Close, p))
}

// endWithLocked ends the connection in order: queued messages are sent within Linger.
func (c *conn) endWithLocked(end End) {
	if !c.ending.close(end, c.peer.queue.messages) {
		return
	}
	c.peer.queue.seal()
	linger := c.peer.sock.cfg.Linger
	if linger <= 0 {
		linger = time.Nanosecond
	}
	_ = c.nc.SetWriteDeadline(time.Now().Add(linger))
	c.peer.sock.engine.AfterFunc(linger, func() {
		c.lingerOver.Store(true)
		c.nc.Nudge()
	})
	c.peer.room.Broadcast() // a callback may wait in Reply
	c.peer.sock.inbox.startDiscarding(&c.peer.in)
	c.nc.Nudge()
}

// EndOfInput implements netconn.InputEnder. Between two messages, a TLS stream that ends without its alert counts as ended
// in order.
func (c *conn) EndOfInput(err error) {
	if err = c.nc.EndedBy(err); !c.framed() && c.wire.between() && (err == io.EOF || err == io.ErrUnexpectedEOF) {
		c.nc.BeginWork() // until the user has been told, and the messages sent until then have left
		c.peerEnded(End{Reason: ReasonEOF})
	}
}

// End implements netconn.Protocol.
func (c *conn) End(_ *netconn.Conn, err error) {
	p := c.peer
	c.wire.drop()
	if c.partial > 0 {
		p.sock.inbox.setPartial(&p.in, 0)
	}
	err = c.nc.EndedBy(err)
	counts := p.sock.isClosing() // read before the user is told: Close does not count messages that were lost before it was called
	if counts && c.delivery != deliveredAll && (c.delivery == deliveryCut || c.sendFailed(endOf(err, c.framed()))) {
		p.sock.countUndelivered(1) // at least one
	}
	if err == io.EOF && (c.framed() || !c.wire.between()) {
		err = io.ErrUnexpectedEOF
	}
	p.mu.Lock()
	end, untold := c.ending.over(endOf(err, c.framed()))
	if end.Returns = p.mayReturnLocked(); !end.Returns {
		p.stay, p.uncounted = max(p.stay, leaving), !counts // so that Send fails as soon as the user is told
	}
	p.conn, p.ending = nil, c
	p.mu.Unlock()
	p.sock.inbox.stopDiscarding(&p.in)
	if end.Reason == ReasonIdle || end.Reason == ReasonSlow {
		c.sendClose(end)
	}
	if !end.Returns {
		p.sock.peers.noteLeaving(p)
	}
	if untold {
		p.notify(nil, EventDisconnected, &end)
	}
	p.connEnded(end)
	p.mu.Lock()
	p.ending = nil
	p.mu.Unlock()
	close(c.over)
}

// sendFailed reports whether a message that was handed to the connection cannot have been sent before its end.
func (c *conn) sendFailed(end End) bool {
	if err := c.nc.WriteError(); err != nil {
		return !errors.Is(err, netconn.ErrAbort)
	}
	return end.Reason == ReasonReset && !c.nc.Settle() // the writer may be about to learn that it has sent all before the reset
}
