package h1client

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Begin begins an exchange. The calling goroutine reads the response and calls Leave. If sends is true, another goroutine
// sends the body with SendPart and calls Leave as well. head is the request line, the fields and the empty line. body,
// which may be nil, directly follows it and must be framed already. Both are sent in one write, or are appended to the
// pending output. Begin does not wait for them to be sent, since the response may come first, and does not refer to them
// after it has returned. A large body is not copied unless the connection does not take it at once; a body that is too
// large to be copied should be sent in parts.
//
// If chunked is true SendPart frames its bytes as chunks (RFC 9112 §7.1). method is kept: it decides whether the response
// has a body.
//
// Begin fails with ErrEnded if unsolicited bytes are known to have arrived; with Look if they have, or the stream has ended.
//
// If Begin fails nothing of the request has been sent, the request can be sent on another connection whatever its method
// is, and this connection has ended. Then no goroutine may read, send or leave. A write that fails after Begin has
// returned is reported to the goroutines that read and send.
func (c *Conn) Begin(method string, head, body []byte, sends, chunked bool) error {
	if !c.enter(sends, chunked) {
		c.nothingSent = true
		return ErrEnded
	}
	c.nothingSent = false
	c.Receiver.begin(method)
	_, touched, err := c.turn.p.PostTwo(netconn.Whole, head, body)
	if touched {
		return nil
	}
	if err == nil {
		err = ErrEnded // the output that is pending belongs to another exchange
	}
	c.nothingSent = true
	c.turn.mu.Lock()
	c.turn.users = 0
	c.turn.proceed.EndLocked()
	c.endLocked(netconn.ErrAbort)
	c.turn.mu.Unlock()
	return err
}

// enter marks an idle connection as in use, and reports whether it was idle. It ends one that is not fit for a request.
func (c *Conn) enter(sends, chunked bool) (ok bool) {
	c.turn.mu.Lock()
	if c.idleLocked() && !c.fitLocked() {
		c.endLocked(nil)
	}
	if ok = c.idleLocked(); ok {
		c.turn.beginLocked(sends, chunked)
	}
	c.turn.mu.Unlock()
	return ok
}

// idleLocked reports whether the connection is open, and no exchange is under way.
func (c *Conn) idleLocked() bool { return c.state == open && c.turn.users == 0 }

// fitLocked reports whether a request may begin on an idle connection. It ends the watch. Unsolicited bytes would be taken for
// the response.
func (c *Conn) fitLocked() bool {
	switch {
	case !c.unwatchLocked(c.watch), c.turn.p.Draining():
		return false
	case c.Look:
		return c.turn.p.Fresh()
	}
	return len(c.turn.p.Unread()) == 0
}

// NothingSent reports, after Begin has failed, whether nothing of the request has left this process.
func (c *Conn) NothingSent() bool { return c.nothingSent }

// Last marks the current exchange as the connection's last: the request says "Connection: close", which the response need
// not repeat (RFC 9112 §9.6). Any goroutine may call it.
func (c *Conn) Last() {
	c.turn.mu.Lock()
	c.turn.last = true
	c.turn.mu.Unlock()
}

// Leave must be called once by each goroutine that uses the exchange. It reports whether this was the last one, and if so
// whether another exchange can begin, as Reusable does; if not the connection is closed. After Leave only the results of
// Await and Whole may be used.
func (c *Conn) Leave() (last, reusable bool) {
	c.turn.mu.Lock()
	complete := c.turn.users == 1 && c.state == open && c.completeLocked() // a Tunnel's user may be reading
	if complete && c.turn.p.Unsent() {
		c.turn.mu.Unlock()
		c.awaitSent()
		c.turn.mu.Lock()
		complete = c.completeLocked() && !c.turn.p.Unsent()
	}
	c.turn.users--
	if last = c.turn.users == 0; last {
		c.turn.proceed.EndLocked()
		c.turn.setDeadlineLocked(0)
		switch {
		case c.state == tunneled:
		case !complete:
			c.endLocked(netconn.ErrAbort)
		case c.turn.last || c.turn.p.Draining():
			c.endLocked(nil)
		}
		reusable = c.state == open
	}
	c.turn.mu.Unlock()
	return last, reusable
}

// completeLocked reports whether the exchange is over without errors: the request has been passed to the connection, the
// response has been read, and nothing follows it. No other goroutine may use the exchange.
func (c *Conn) completeLocked() bool {
	return c.turn.cancelErr() == nil && c.turn.sentAll && c.turn.gotFinal && c.body.Ended() &&
		len(c.turn.p.Unread()) == 0 && c.turn.p.WriteError() == nil
}

// awaitSent waits a little for the output of a request whose response has come already. The server may be about to read it,
// or has read it while the goroutine that writes has not noticed yet.
func (c *Conn) awaitSent() {
	sent := make(chan struct{})
	go func() {
		_ = c.turn.p.Flush()
		close(sent)
	}()
	timer := time.NewTimer(maxAwaitSent)
	defer timer.Stop()
	select {
	case <-sent:
	case <-timer.C:
	}
}

// maxAwaitSent is how long a request may take to be sent after its response has ended. It is longer than a goroutine that
// has written waits for a busy processor, since the connection is lost otherwise. Only a server that has responded to a request
// without reading it is waited for that long.
const maxAwaitSent = 500 * time.Millisecond

// Ended reports whether the connection takes no more exchanges, for whatever reason. Any goroutine may call it.
func (c *Conn) Ended() bool {
	c.turn.mu.Lock()
	defer c.turn.mu.Unlock()
	return c.state != open
}

// Reusable reports whether another exchange can begin: the last request was sent whole and its response was read whole,
// both sides keep the connection (RFC 9112 §9.3), and no unsolicited bytes have arrived. It becomes false when the engine
// is shut down. Any goroutine may call it.
func (c *Conn) Reusable() bool {
	c.turn.mu.Lock()
	idle := c.idleLocked()
	c.turn.mu.Unlock()
	return idle && !c.turn.p.Draining()
}
