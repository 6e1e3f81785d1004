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
	end := endOf(err, c.framed)
	if end.Reason == ReasonClosed {
		c.closeReceived = true
		if !c.wire.(*frames).whole() {
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
	if !c.closing {
		c.end, c.closing = end, true
	}
	c.peer.mu.Unlock()
	c.sendClose(end)
	return len(c.nc.Unread()), netconn.ErrDone
}

// peerEnded is called when the peer has ended its half, or has sent a close frame. Messages sent until the user knows of it
// are still sent.
func (c *conn) peerEnded(end End) {
	p := c.peer
	p.mu.Lock()
	if c.endReported || c.closing {
		p.mu.Unlock()
		return
	}
	c.endReported, c.end = true, end
	c.end.Returns = p.mayReturnLocked()
	reported := c.end
	p.mu.Unlock()
	if !reported.Returns {
		p.sock.peers.noteLeaving(p)
	}
	p.notify(c, EventDisconnected, &reported)
}

// isClosing reports whether nothing but queued messages will be sent.
func (c *conn) isClosing() bool {
	c.peer.mu.Lock()
	defer c.peer.mu.Unlock()
	return c.closing
}

// checkEnd returns the error that ends the connection if it is closing and all is sent, else nil. It runs on the
// connection's goroutine.
func (c *conn) checkEnd() error {
	p := c.peer
	p.mu.Lock()
	closing, drained, end := c.closing, c.drainedLocked() && !c.writing, c.end
	p.mu.Unlock()
	switch {
	case !closing:
		return nil
	case c.lingerOver.Load():
		c.outputCut = c.nc.Unsent()
		return netconn.ErrAbort
	case !drained:
		return nil
	}
	c.discarding = true
	c.allSent = c.allSent || !c.closeSent && !c.nc.Unsent()
	c.sendClose(end)
	if c.framed && !c.closeReceived {
		return nil // wait for the peer's close frame
	}
	return netconn.ErrDone
}

// drainedLocked reports whether the queue has no message for this connection.
func (c *conn) drainedLocked() bool { return c.peer.queue.empty() || c.closing && c.lastMessages <= 0 }

// sendClose sends a close frame (RFC 6455 §5.5.1), once.
func (c *conn) sendClose(end End) {
	w, ok := c.wire.(*frames)
	if !ok || c.closeSent {
		return
	}
	c.closeSent = true
	code, text := end.Code, end.Text
	if end.Reason == ReasonClosed || end.Reason == ReasonTruncated {
		text = "" // an answer repeats only the code
	}
	p, err := wsframe.AppendClose(nil, wsframe.CloseCode(code), text)
	if err != nil {
		p = nil
	}
	_, _ = c.nc.Post(netconn.Final, w.append(nil, wsframe.Close, p))
}

// endWithLocked ends the connection in order: queued messages are sent within Linger.
func (c *conn) endWithLocked(end End) {
	if c.closing {
		return
	}
	c.closing, c.lastMessages = true, c.peer.queue.messages
	c.peer.queue.seal()
	if !c.endReported {
		c.end = end
	}
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
	if err = c.nc.EndedBy(err); !c.framed && c.wire.between() && (err == io.EOF || err == io.ErrUnexpectedEOF) {
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
	if counts && !c.allSent && (c.outputCut || c.sendFailed(endOf(err, c.framed))) {
		p.sock.countUndelivered(1) // at least one
	}
	if err == io.EOF && (c.framed || !c.wire.between()) {
		err = io.ErrUnexpectedEOF
	}
	p.mu.Lock()
	end, reported := c.end, c.endReported
	if !c.closing && !reported {
		end = endOf(err, c.framed)
	}
	if end.Returns = p.mayReturnLocked(); !end.Returns {
		p.leaving, p.uncounted = true, !counts // so that Send fails as soon as the user is told
	}
	c.endReported, p.conn, p.ending = true, nil, c
	p.mu.Unlock()
	p.sock.inbox.stopDiscarding(&p.in)
	if end.Reason == ReasonIdle || end.Reason == ReasonSlow {
		c.sendClose(end)
	}
	if !end.Returns {
		p.sock.peers.noteLeaving(p)
	}
	if !reported {
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
