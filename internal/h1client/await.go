package h1client

import (
	"errors"
	"io"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/httpread"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// maxInterim is how many interim responses a server may send before the one that counts.
const maxInterim = 16

// interim is the account of interim responses: their bytes are bounded together as those of a head are.
type interim struct{ heads, bytes int }

// Await waits for the response's next head: an interim one (RFC 9110 §15.2), after which it is called again, or the one that
// counts, whose status is 101 or at least 200. r is reset and parsed with Config.Limits. It borrows head, which is buf
// grown if need be: the caller's.
//
// Await fails with a *http1.Error for what is no response, httpread.ErrInterim after too many interim ones, io.EOF if
// the connection ended before a byte came, io.ErrUnexpectedEOF if it ended later (RFC 9112 §8), netconn.ErrSlow after
// Expire's time, Cancel's error, or what the connection says. It is the reader's.
func (c *Conn) Await(r *http1.Response, buf []byte) (head []byte, err error) {
	r.Reset()
	r.Limits = c.cfg.Limits
	for {
		if err := c.canceled(); err != nil {
			return nil, err
		}
		in := c.p.Unread()
		c.heard = c.heard || len(in) > 0
		n, err := r.Parse(in, c.method)
		switch {
		case err != nil:
			return nil, err
		case n > 0:
			return c.take(r, in[:n], buf)
		}
		if _, err := c.p.Fill(); err != nil {
			return nil, c.noHead(c.why(err))
		}
	}
}

// noHead turns the end of the connection into what it means before a whole head.
func (c *Conn) noHead(err error) error {
	if err == io.EOF && c.heard {
		return io.ErrUnexpectedEOF
	}
	return err
}

// take takes the head in, which r is, from the connection.
func (c *Conn) take(r *http1.Response, in, buf []byte) (head []byte, err error) {
	head = append(buf[:0], in...)
	c.p.Take(len(in))
	r.Rebase(head)
	if r.Status >= 200 || r.Status == 101 {
		c.begins(r)
		return head, nil
	}
	c.interim.heads++
	c.interim.bytes += len(in)
	if c.interim.heads > maxInterim || c.interim.bytes > headBytes(&c.cfg.Limits) {
		return nil, httpread.ErrInterim
	}
	if r.Status == 100 {
		c.mu.Lock()
		c.asked = true
		c.goOn()
		c.mu.Unlock()
	}
	return head, nil
}

// Refused returns the beginning of a head that Await has refused. It is the reader's, and good until Leave.
func (c *Conn) Refused() []byte { return c.p.Unread() }

// Told says that the interim response has been handed on to somebody who may end the exchange: how many may come is
// counted anew. It is the reader's.
func (c *Conn) Told() { c.interim = interim{} }

// begins begins the body behind the head that counts.
func (c *Conn) begins(r *http1.Response) {
	c.body.Reset(-1)
	c.body.Start(r.Framing, c.cfg.Limits)
	c.length, c.toClose, c.begun = c.body.Left(), r.Framing.Delimiter == http1.ByClose, false
	tunnel := r.Status == 101 || c.method == "CONNECT" && r.Status < 300
	c.mu.Lock()
	c.final = true
	c.last = c.last || !r.KeepAlive || tunnel // behind which no response comes (RFC 9110 §15.2.2, §9.3.6)
	c.setDeadline(0)
	c.goOn()
	c.mu.Unlock()
}

// headBytes is how many bytes l lets a head have.
func headBytes(l *http1.Limits) int {
	switch {
	case l.HeadBytes == 0:
		return 64 << 10
	case l.HeadBytes < 0:
		return 1<<31 - 1
	}
	return l.HeadBytes
}

// Expire has Await fail with netconn.ErrSlow if the head that counts does not come within d; 0 is none. What comes later is
// not touched. Any goroutine may call it while it uses the exchange.
func (c *Conn) Expire(d time.Duration) {
	c.mu.Lock()
	if !c.final && c.users > 0 {
		c.setDeadline(d)
	}
	c.mu.Unlock()
}

// setDeadline has reads end after d; 0 is never. c.mu is held.
func (c *Conn) setDeadline(d time.Duration) {
	switch {
	case d > 0:
		c.timed = true
		_ = c.p.SetReadDeadline(c.p.Now().Add(d))
	case c.timed:
		c.timed = false
		_ = c.p.SetReadDeadline(time.Time{})
	}
}

// canceled returns Cancel's error.
func (c *Conn) canceled() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure
}

// why returns err, with which reading has failed, as it is told to the reader, and notes whether the connection has ended
// with it.
func (c *Conn) why(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil {
		return c.failure
	}
	c.lost = c.lost || !errors.Is(err, netconn.ErrSlow)
	return err
}
