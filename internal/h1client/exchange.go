package h1client

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// Begin begins an exchange: whoever calls it reads the response, and calls Leave. sends: another goroutine will SendPart,
// and Leave. head is the request line, the fields and the empty line; body is what follows it at once, framed already if
// it is to be, and may be nil. Both leave in one write, or are appended to what is leaving; Begin never waits for that,
// since the response may come first. Neither is referenced afterwards. A large body is sent from where it is, and what
// the connection does not take at once is copied: one that is too large to be held twice is sent in parts.
//
// chunked: what SendPart is given is framed as chunks (RFC 9112 §7.1). method is kept; it decides whether the response
// has a body.
//
// When Begin fails nothing of the request has left, whatever its method is it can be sent on another connection, and this
// one has ended. Then nobody reads, sends or leaves. A write that fails later is told to those who read and send.
func (c *Conn) Begin(method string, head, body []byte, sends, chunked bool) error {
	if err := c.enter(sends); err != nil {
		return err
	}
	c.method, c.chunked, c.untouched = method, chunked, false
	c.heard, c.lost, c.interim, c.idle = false, false, interim{}, 0
	c.body.Reset(-1)
	_, touched, err := c.p.PostTwo(netconn.Whole, head, body)
	if touched {
		return nil
	}
	if err == nil {
		err = ErrEnded // what has not left yet is another exchange's
	}
	c.untouched = true
	c.mu.Lock()
	c.users = 0
	c.goOn()
	c.end(netconn.ErrAbort)
	c.mu.Unlock()
	return err
}

// enter makes an idle connection busy. One on which something has come that nobody asked for takes no request: it would
// be taken for the response.
func (c *Conn) enter(sends bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended && (!c.unwatch(c.watch) || len(c.p.Unread()) > 0 || c.p.Draining()) {
		c.end(nil)
	}
	if c.ended || c.users > 0 {
		c.untouched = true
		return ErrEnded
	}
	c.users, c.whole = 1, !sends
	if sends {
		c.users = 2
	}
	c.last, c.final, c.asked = false, false, false
	c.failure, c.hushed, c.unblock = nil, nil, nil
	c.served++
	return nil
}

// Untouched tells, after Begin has failed, that nothing of the request has left this process.
func (c *Conn) Untouched() bool { return c.untouched }

// Unheard reports whether the connection has ended, and no byte of a response came since Begin: it may have been given up
// by the server before the request arrived (RFC 9112 §9.3.1). It is the reader's, after a failure.
func (c *Conn) Unheard() bool { return c.lost && !c.heard }

// Last says that the exchange under way is the connection's last: the request says "Connection: close", which the response
// may not repeat (RFC 9112 §9.6). Any goroutine may call it.
func (c *Conn) Last() {
	c.mu.Lock()
	c.last = true
	c.mu.Unlock()
}

// Leave is called once by each who uses the exchange, and reports whether it was the last: then Reusable reports whether there
// can be another one. If there cannot the connection ends by itself. Nothing of the exchange is used afterwards, but for what
// Await and Whole have returned.
func (c *Conn) Leave() (last bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users == 1 && c.complete() && c.p.Unsent() {
		c.mu.Unlock()
		c.settle()
		c.mu.Lock()
	}
	c.users--
	if c.users > 0 {
		return false
	}
	c.goOn()
	c.setDeadline(0)
	switch {
	case c.given:
		c.ended = true
	case !c.complete() || c.p.Unsent():
		c.end(netconn.ErrAbort)
	case c.last || c.p.Draining():
		c.end(nil)
	}
	return true
}

// complete reports whether the exchange has come to its end in good order, as far as what was read and accepted for sending
// tells, and nothing follows it. c.mu is held, and nobody else uses the exchange any more.
func (c *Conn) complete() bool {
	return c.failure == nil && c.whole && c.final && c.body.Ended() &&
		len(c.p.Unread()) == 0 && c.p.WriteError() == nil
}

// settle waits a little for a request to leave that has been answered already: the server may be about to read the rest of
// it, or it has, and a writer on another goroutine is about to see that.
func (c *Conn) settle() {
	left := make(chan struct{})
	go func() {
		_ = c.p.Flush()
		close(left)
	}()
	late := time.NewTimer(maxSettle)
	defer late.Stop()
	select {
	case <-left:
	case <-late.C:
	}
}

// maxSettle is how long a request may take to leave after its response has ended.
const maxSettle = 50 * time.Millisecond

// Ended reports whether no more exchanges begin, whoever has ended the connection. Any goroutine may call it.
func (c *Conn) Ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended || c.given
}

// Reusable reports whether another exchange can begin: the last one's request was sent whole and its response read whole,
// both sides keep the connection (RFC 9112 §9.3), and nothing has come that nobody asked for. It changes when the engine
// shuts down. Any goroutine may call it.
func (c *Conn) Reusable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.ended && c.users == 0 && !c.p.Draining()
}
