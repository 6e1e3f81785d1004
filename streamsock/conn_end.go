package streamsock

import (
	"errors"
	"io"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// stop ends the connection because of what has come.
func (c *conn) stop(err error) (n int, _ error) {
	end := endOf(err, c.framed)
	if end.Reason == Closed {
		c.seen = true
		if !c.wire.(*frames).whole() {
			end.Reason = Truncated
		}
		c.heard(end)
		c.peer.mu.Lock()
		c.endWith(end) // the answer leaves behind what is in line (RFC 6455 §5.5.1)
		c.peer.mu.Unlock()
		return len(c.nc.Unread()), c.last()
	}
	c.deaf = true
	c.peer.mu.Lock()
	if !c.closing {
		c.end, c.closing = end, true
	}
	c.peer.mu.Unlock()
	c.sayClose(end)
	return len(c.nc.Unread()), netconn.ErrDone
}

// heard is called when the peer has ended its half, or says goodbye: what is sent until the user knows of it leaves.
func (c *conn) heard(end End) {
	p := c.peer
	p.mu.Lock()
	if c.told || c.closing {
		p.mu.Unlock()
		return
	}
	c.told, c.end = true, end
	c.end.Returns = p.returns()
	told := c.end
	p.mu.Unlock()
	if !told.Returns {
		p.sock.peers.parts(p)
	}
	p.tell(c, Disconnected, &told)
}

// ends reports whether what is in line is the last.
func (c *conn) ends() bool {
	c.peer.mu.Lock()
	defer c.peer.mu.Unlock()
	return c.closing
}

// last says, on the connection's goroutine, whether the connection is to end now.
func (c *conn) last() error {
	p := c.peer
	p.mu.Lock()
	closing, drained, end := c.closing, c.drained() && !c.busy, c.end
	p.mu.Unlock()
	switch {
	case !closing:
		return nil
	case c.late.Load():
		c.cut = c.nc.Unsent()
		return netconn.ErrAbort
	case !drained:
		return nil
	}
	c.deaf = true
	c.clean = c.clean || !c.said && !c.nc.Unsent()
	c.sayClose(end)
	if c.framed && !c.seen {
		return nil // its close frame is waited for
	}
	return netconn.ErrDone
}

// drained reports whether nothing in line is for this connection. c.peer.mu is held.
func (c *conn) drained() bool { return c.peer.line.empty() || c.closing && c.left <= 0 }

// sayClose sends a close frame (RFC 6455 §5.5.1), once.
func (c *conn) sayClose(end End) {
	w, ok := c.wire.(*frames)
	if !ok || c.said {
		return
	}
	c.said = true
	code, text := end.Code, end.Text
	if end.Reason == Closed || end.Reason == Truncated {
		text = "" // it is an answer
	}
	p, err := wsframe.AppendClose(nil, code, text)
	if err != nil {
		p = nil
	}
	_, _ = c.nc.Post(netconn.Final, w.append(nil, wsframe.Close, p))
}

// endWith ends the connection in order: what is in line leaves within Linger. c.peer.mu is held.
func (c *conn) endWith(end End) {
	if c.closing {
		return
	}
	c.closing, c.left = true, c.peer.line.messages
	c.peer.line.seal()
	if !c.told {
		c.end = end
	}
	linger := c.peer.sock.cfg.Linger
	if linger <= 0 {
		linger = time.Nanosecond
	}
	_ = c.nc.SetWriteDeadline(time.Now().Add(linger))
	time.AfterFunc(linger, func() {
		c.late.Store(true)
		c.nc.Nudge()
	})
	c.peer.room.Broadcast() // a callback may wait in Reply
	c.peer.sock.inbox.hush(&c.peer.in)
	c.nc.Nudge()
}

// EndOfInput implements netconn.InputEnder. Between messages an end of TLS without its alert means no less than one with it.
func (c *conn) EndOfInput(err error) {
	if err = c.nc.EndedBy(err); !c.framed && c.wire.between() && (err == io.EOF || err == io.ErrUnexpectedEOF) {
		c.nc.BeginWork() // until the user has been told, and what is sent by then has left
		c.heard(End{Reason: EOF})
	}
}

// End implements netconn.Protocol.
func (c *conn) End(_ *netconn.Conn, err error) {
	p := c.peer
	c.wire.drop()
	if c.partial > 0 {
		p.sock.inbox.grow(&p.in, 0)
	}
	err = c.nc.EndedBy(err)
	werr := c.nc.WriteError()
	reset := endOf(err, c.framed).Reason == Reset && c.nc.Unsent()
	if !c.clean && (c.cut || reset || werr != nil && !errors.Is(werr, netconn.ErrAbort)) {
		p.sock.gaveUp(1) // at least
	}
	if err == io.EOF && (c.framed || !c.wire.between()) {
		err = io.ErrUnexpectedEOF
	}
	counts := p.sock.counting() // before the user is told: what waits for who went before Close is not Close's
	p.mu.Lock()
	end, told := c.end, c.told
	if !c.closing && !told {
		end = endOf(err, c.framed)
	}
	if end.Returns = p.returns(); !end.Returns {
		p.leaving, p.lost = true, !counts // nothing more is taken for who is told to be gone
	}
	c.told, p.conn, p.ending = true, nil, c
	p.mu.Unlock()
	p.sock.inbox.hear(&p.in)
	if end.Reason == IdlePeer || end.Reason == SlowPeer {
		c.sayClose(end)
	}
	if !end.Returns {
		p.sock.peers.parts(p)
	}
	if !told {
		p.tell(nil, Disconnected, &end)
	}
	p.broke(end)
	p.mu.Lock()
	p.ending = nil
	p.mu.Unlock()
	close(c.over)
}
