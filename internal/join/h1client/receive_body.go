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
func (r *Receiver) Length() int64 { return r.length }

// Read reads at least one byte of the body into p and waits for it if necessary. It returns io.EOF at the end, a
// *http1.Error if the body is malformed, io.ErrUnexpectedEOF if the connection ends too early (RFC 9112 §8),
// netconn.ErrSlow after the time that was set with SetReadIdle, the error of Cancel, or an error of the connection.
// Further calls return the same error.
func (r *Receiver) Read(p []byte) (int, error) {
	if err := r.turn.cancelErr(); err != nil {
		r.body.Fail(err)
	}
	r.bodyRead = true
	return r.body.Read(source{r}, p)
}

// SetReadIdle bounds each wait of Read to d; 0 means no bound. It is valid until the next Begin.
func (r *Receiver) SetReadIdle(d time.Duration) { r.idle = d }

// Trailer returns the trailer fields of a chunked body after Read has returned io.EOF. Before that, and if there are none,
// the list is empty. It must not be changed and is valid until Leave.
func (r *Receiver) Trailer() *shockwave.Header { return r.body.Trailer() }

// Whole appends the rest of the body to buf if all of it has arrived; then the response has been read to its end. It does
// not wait. A chunked body with extensions or trailer fields must be read with Read. If buf is too small Whole returns
// another buffer and gives buf to package bufpool.
func (r *Receiver) Whole(buf []byte) (body []byte, ok bool) {
	if r.body.Ended() {
		return buf, r.body.Err() == nil || r.body.Err() == io.EOF
	}
	size, ok := r.arrived()
	if !ok {
		return buf, false
	}
	if r.body.Err() == nil && r.body.Left() == int64(size) { // a Content-Length: there is nothing to decode
		n := len(buf)
		buf = bufpool.Grow(buf, n+size)
		copy(buf[n:], r.turn.p.Unread())
		r.turn.p.Take(size)
		r.body.Took(size)
		return buf, true
	}
	larger := buf
	if n := len(buf); n+size >= cap(buf) {
		larger = bufpool.Get(n + size + 1)[:n]
		copy(larger, buf)
	}
	rest, err := r.body.ReadAll(source{r}, larger[len(buf):])
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
func (r *Receiver) Discard(within httpread.Bounds) {
	r.turn.mu.Lock()
	useless := r.turn.last || r.turn.cancelErr() != nil
	r.turn.mu.Unlock()
	if !useless && r.body.MinLeft() <= int64(within.Bytes) {
		r.body.Discard(source{r}, within)
	}
}

// source is what the body is read from. It is an httpread.DeadlineConn.
type source struct{ r *Receiver }

// Unread implements httpread.Conn.
func (s source) Unread() []byte { return s.r.turn.p.Unread() }

// Take implements httpread.Conn.
func (s source) Take(n int) { s.r.turn.p.Take(n) }

// Fill implements httpread.Conn.
func (s source) Fill() ([]byte, error) {
	s.r.boundWait()
	b, err := s.r.turn.p.Fill()
	return b, s.r.bodyErr(err)
}

// Read implements httpread.Conn.
func (s source) Read(p []byte) (int, error) {
	s.r.boundWait()
	n, err := s.r.turn.p.Read(p)
	return n, s.r.bodyErr(err)
}

// SetReadDeadline implements httpread.DeadlineConn.
func (s source) SetReadDeadline(t time.Time) error { return s.r.turn.p.SetReadDeadline(t) }

// bodyErr returns the error to report when reading the body has failed with err.
func (r *Receiver) bodyErr(err error) error {
	switch {
	case err == nil:
		return nil
	case err == io.EOF && r.turn.p.Truncated() && !r.cfg.AllowTruncated:
		err = io.ErrUnexpectedEOF // the message is incomplete (RFC 9112 §9.8)
	}
	return r.readErr(err)
}

// boundWait sets the deadline for the wait that is about to begin.
func (r *Receiver) boundWait() {
	if r.idle > 0 {
		r.turn.mu.Lock()
		r.turn.setDeadlineLocked(r.idle)
		r.turn.mu.Unlock()
	}
}

// arrived reports whether the rest of the body has arrived, and how many bytes of data it has. In a chunked body it looks
// only at the sizes of the chunks; a body with chunk extensions or trailer fields counts as not arrived.
func (r *Receiver) arrived() (size int, ok bool) {
	in := r.turn.p.Unread()
	if left := r.body.Left(); left >= 0 {
		return int(min(left, int64(len(in)))), left <= int64(len(in))
	}
	if r.untilClose || r.bodyRead {
		return 0, false
	}
	return chunks(in)
}
