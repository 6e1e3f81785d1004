package h1client

import (
	"io"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/httpread"
)

// The methods of this file are the reader's, after Await has returned the head that counts.

// Length returns how many bytes the response's body has by its head, -1 if only its end tells. A body that there cannot be
// (RFC 9112 §6.3, rule 1) has none, whatever its Content-Length says.
func (c *Conn) Length() int64 { return c.length }

// Read reads at least one byte of the body into p, waiting for it if need be. It fails with io.EOF at the end, *http1.Error
// for a malformed body, io.ErrUnexpectedEOF if the connection ends too early (RFC 9112 §8), netconn.ErrSlow after
// SetReadIdle's time, Cancel's error, or what the connection says; and again and again with the same.
func (c *Conn) Read(p []byte) (int, error) {
	if err := c.canceled(); err != nil {
		c.body.Fail(err)
	}
	c.begun = true
	return c.body.Read((*source)(c), p)
}

// SetReadIdle has no wait of Read last longer than d; 0 is none. It holds until the next Begin.
func (c *Conn) SetReadIdle(d time.Duration) { c.idle = d }

// Trailer returns the trailer fields of a chunked body, when Read has returned io.EOF; before, and without any, an empty
// list. It must not be changed, and is good until Leave.
func (c *Conn) Trailer() *shockwave.Header { return c.body.Trailer() }

// Whole appends what is left of the body to buf if all of it has arrived: then the response is over. It does not wait. A
// chunked body with extensions or trailer fields is left to Read. If buf is too small another takes its place, and buf is given to
// package bufpool.
func (c *Conn) Whole(buf []byte) (body []byte, ok bool) {
	if c.body.Ended() {
		return buf, c.body.Err() == nil || c.body.Err() == io.EOF
	}
	size, ok := c.arrived()
	if !ok {
		return buf, false
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

// Discard reads and drops the rest of the body within bounds, so that the connection can take another request. Nothing is read
// on a connection that cannot, or of a body that says itself that it is beyond the bounds.
func (c *Conn) Discard(within httpread.Bounds) {
	c.mu.Lock()
	useless := c.last || c.failure != nil
	c.mu.Unlock()
	if !useless && c.body.AtLeast() <= int64(within.Bytes) {
		c.body.Discard((*source)(c), within)
	}
}

// source is a Conn as its body reads from it.
type source Conn

// Unread implements httpread.Conn.
func (s *source) Unread() []byte { return s.p.Unread() }

// Take implements httpread.Conn.
func (s *source) Take(n int) { s.p.Take(n) }

// Fill implements httpread.Conn.
func (s *source) Fill() ([]byte, error) {
	c := (*Conn)(s)
	c.mind()
	b, err := c.p.Fill()
	return b, c.noted(err)
}

// Read implements httpread.Conn.
func (s *source) Read(p []byte) (int, error) {
	c := (*Conn)(s)
	c.mind()
	n, err := c.p.Read(p)
	return n, c.noted(err)
}

// noted returns what a read of the body fails with.
func (c *Conn) noted(err error) error {
	switch {
	case err == nil:
		return nil
	case err == io.EOF && c.p.Torn() && !c.cfg.TornEnds:
		err = io.ErrUnexpectedEOF // no end of a message (RFC 9112 §9.8)
	}
	return c.why(err)
}

// SetReadDeadline implements httpread.DeadlineConn.
func (s *source) SetReadDeadline(t time.Time) error { return s.p.SetReadDeadline(t) }

// mind bounds the wait that is about to begin.
func (c *Conn) mind() {
	if c.idle > 0 {
		c.mu.Lock()
		c.setDeadline(c.idle)
		c.mu.Unlock()
	}
}
