package h1client

import (
	"io"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

// The methods of this file are for the reading goroutine, after Await has returned the final head.

// Length returns the length of the response's body according to its head, -1 if only the body's end tells. It is 0 for a
// response that cannot have a body (RFC 9112 §6.3, rule 1), whatever its Content-Length says.
func (c *Conn) Length() int64 { return c.length }

// Read reads at least one byte of the body into p and waits for it if necessary. It returns io.EOF at the end, a
// *http1.Error if the body is malformed, io.ErrUnexpectedEOF if the connection ends too early (RFC 9112 §8),
// netconn.ErrSlow after the time that was set with SetReadIdle, the error of Cancel, or an error of the connection.
// Further calls return the same error.
func (c *Conn) Read(p []byte) (int, error) {
	if err := c.cancelErr(); err != nil {
		c.body.Fail(err)
	}
	c.bodyRead = true
	return c.body.Read((*source)(c), p)
}

// SetReadIdle bounds each wait of Read to d; 0 means no bound. It is valid until the next Begin.
func (c *Conn) SetReadIdle(d time.Duration) { c.idle = d }

// Trailer returns the trailer fields of a chunked body after Read has returned io.EOF. Before that, and if there are none,
// the list is empty. It must not be changed and is valid until Leave.
func (c *Conn) Trailer() *shockwave.Header { return c.body.Trailer() }

// Whole appends the rest of the body to buf if all of it has arrived; then the response has been read to its end. It does
// not wait. A chunked body with extensions or trailer fields must be read with Read. If buf is too small Whole returns
// another buffer and gives buf to package bufpool.
func (c *Conn) Whole(buf []byte) (body []byte, ok bool) {
	if c.body.Ended() {
		return buf, c.body.Err() == nil || c.body.Err() == io.EOF
	}
	size, ok := c.arrived()
	if !ok {
		return buf, false
	}
	if c.body.Err() == nil && c.body.Left() == int64(size) { // a Content-Length: there is nothing to decode
		n := len(buf)
		buf = bufpool.Grow(buf, n+size)
		copy(buf[n:], c.p.Unread())
		c.p.Take(size)
		c.body.Took(size)
		return buf, true
	}
	larger := buf
	if n := len(buf); n+size >= cap(buf) {
		larger = bufpool.Get(n + size + 1)[:n]
		copy(larger, buf)
	}
	rest, err := c.body.ReadAll((*source)(c), larger[len(buf):])
	if err != nil {
		return buf, false
	}
	if cap(larger) != cap(buf) {
		bufpool.Put(buf)
	}
	return larger[:len(buf)+len(rest)], true
}

// Discard reads and drops the rest of the body within bounds, so that the connection can take another request. It reads
// nothing if the connection cannot take one, or if the rest is known to exceed the bounds.
func (c *Conn) Discard(within httpread.Bounds) {
	c.mu.Lock()
	useless := c.last || c.cancelErr() != nil
	c.mu.Unlock()
	if !useless && c.body.MinLeft() <= int64(within.Bytes) {
		c.body.Discard((*source)(c), within)
	}
}

// source is a Conn as the source of its body.
type source Conn

// Unread implements httpread.Conn.
func (s *source) Unread() []byte { return s.p.Unread() }

// Take implements httpread.Conn.
func (s *source) Take(n int) { s.p.Take(n) }

// Fill implements httpread.Conn.
func (s *source) Fill() ([]byte, error) {
	c := (*Conn)(s)
	c.boundWait()
	b, err := c.p.Fill()
	return b, c.bodyErr(err)
}

// Read implements httpread.Conn.
func (s *source) Read(p []byte) (int, error) {
	c := (*Conn)(s)
	c.boundWait()
	n, err := c.p.Read(p)
	return n, c.bodyErr(err)
}

// bodyErr returns the error to report when reading the body has failed with err.
func (c *Conn) bodyErr(err error) error {
	switch {
	case err == nil:
		return nil
	case err == io.EOF && c.p.Truncated() && !c.cfg.AllowTruncated:
		err = io.ErrUnexpectedEOF // the message is incomplete (RFC 9112 §9.8)
	}
	return c.readErr(err)
}

// SetReadDeadline implements httpread.DeadlineConn.
func (s *source) SetReadDeadline(t time.Time) error { return s.p.SetReadDeadline(t) }

// boundWait sets the deadline for the wait that is about to begin.
func (c *Conn) boundWait() {
	if c.idle > 0 {
		c.mu.Lock()
		c.setDeadline(c.idle)
		c.mu.Unlock()
	}
}
