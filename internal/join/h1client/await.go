package h1client

import (
	"errors"
	"io"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

// maxInterim is how many interim responses a server may send before the final one.
const maxInterim = 16

// interim counts interim responses and their bytes. Together they may have as many bytes as one head.
type interim struct{ heads, bytes int }

// Await waits for the response's next head. That is either an interim response (RFC 9110 §15.2), after which Await must be
// called again, or the final one, whose status is 101 or at least 200. r is reset and parsed with Config.Limits; its
// fields are parts of head, which the caller owns. It is buf, or, if buf is too small, another buffer from package bufpool, to
// which buf has been given. If the whole response has arrived there is room for its body behind head.
//
// Await returns a *http1.Error if the response is malformed, httpread.ErrInterim after too many interim responses, io.EOF
// if the connection ended before the first byte, io.ErrUnexpectedEOF if it ended later (RFC 9112 §8), netconn.ErrSlow if
// the time that was set with Expire has passed, the error of Cancel, or an error of the connection. Only the reading
// goroutine may call it.
//
// onWait, unless nil, is called before Await waits for the server, perhaps more than once. A busy process often has the
// response by the time it has served other goroutines; then there is no wait that would have to be ended by Cancel.
func (c *Conn) Await(r *http1.Response, buf []byte, onWait func()) (head []byte, err error) {
	r.Reset()
	r.Limits = c.cfg.Limits
	for {
		if err := c.cancelErr(); err != nil {
			return nil, err
		}
		if in := c.p.Unread(); len(in) > 0 {
			c.heard = true
			n, err := r.Parse(in, c.method)
			switch {
			case err != nil:
				return nil, err
			case n > 0:
				return c.takeHead(r, in[:n], buf)
			}
		}
		if _, err := c.p.FillOnWait(onWait); err != nil {
			return nil, c.headErr(c.readErr(err))
		}
	}
}

// headErr returns the error for a connection that has failed with err before a whole head had arrived.
func (c *Conn) headErr(err error) error {
	if err == io.EOF && c.heard {
		return io.ErrUnexpectedEOF
	}
	return err
}

// takeHead takes the head r, whose bytes are in, from the connection.
func (c *Conn) takeHead(r *http1.Response, in, buf []byte) (head []byte, err error) {
	c.p.Take(len(in))
	size, final := len(in), r.Status >= 200 || r.Status == 101
	if final {
		c.startBody(r)
		if body, ok := c.arrived(); ok {
			size += body + 1
		}
	}
	head = append(bufpool.Grow(buf, size)[:0], in...)
	r.Rebase(head)
	if final {
		return head, nil
	}
	c.interim.heads++
	c.interim.bytes += len(in)
	if c.interim.heads > maxInterim || c.interim.bytes > headBytes(&c.cfg.Limits) {
		return nil, httpread.ErrInterim
	}
	if r.Status == 100 {
		c.mu.Lock()
		c.bodyWanted = true
		c.endProceed()
		c.mu.Unlock()
	}
	return head, nil
}

// Refused returns the beginning of a head that Await has refused. It is valid until Leave. Only the reading goroutine may
// call it.
func (c *Conn) Refused() []byte { return c.p.Unread() }

// ResetInterim starts the count of interim responses anew. It is called when one has been passed to a caller that can end
// the exchange. Only the reading goroutine may call it.
func (c *Conn) ResetInterim() { c.interim = interim{} }

// startBody prepares for the body behind the final head.
func (c *Conn) startBody(r *http1.Response) {
	c.body.Reset(-1)
	c.body.Start(r.Framing, c.cfg.Limits)
	c.length, c.untilClose, c.bodyRead = c.body.Left(), r.Framing.Delimiter == http1.ByClose, false
	tunnel := r.Status == 101 || c.method == "CONNECT" && r.Status < 300
	c.mu.Lock()
	c.gotFinal = true
	c.last = c.last || !r.KeepAlive || tunnel // no response follows it (RFC 9110 §15.2.2, §9.3.6)
	c.setDeadline(0)
	c.endProceed()
	c.mu.Unlock()
}

// headBytes returns how many bytes l allows a head to have.
func headBytes(l *http1.Limits) int {
	switch {
	case l.HeadBytes == 0:
		return 64 << 10
	case l.HeadBytes < 0:
		return 1<<31 - 1
	}
	return l.HeadBytes
}

// Expire makes Await fail with netconn.ErrSlow if the final head does not arrive within d; 0 means no bound. It has no
// effect after the final head. Any goroutine that uses the exchange may call it.
func (c *Conn) Expire(d time.Duration) {
	c.mu.Lock()
	if !c.gotFinal && c.users > 0 {
		c.setDeadline(d)
	}
	c.mu.Unlock()
}

// setDeadline lets reads fail after d; 0 means no bound. The caller must hold mu.
func (c *Conn) setDeadline(d time.Duration) {
	switch {
	case d > 0:
		c.deadlineSet = true
		c.p.SetReadTimeout(d)
	case c.deadlineSet:
		c.deadlineSet = false
		c.p.SetReadTimeout(0)
	}
}

// cancelErr returns the error of Cancel, nil if Cancel has not been called.
func (c *Conn) cancelErr() error {
	if err := c.canceled.Load(); err != nil {
		return *err
	}
	return nil
}

// readErr returns the error to report when reading has failed with err. It notes whether the connection has ended.
func (c *Conn) readErr(err error) error {
	if why := c.cancelErr(); why != nil {
		return why
	}
	c.connLost = c.connLost || !errors.Is(err, netconn.ErrSlow)
	return err
}
