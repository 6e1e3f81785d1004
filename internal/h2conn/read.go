package h2conn

import (
	"io"
	"time"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// reader is the receiving half of a stream. What has arrived is in one buffer, what is being read in another: they
// change places.
type reader struct {
	waiter
	in []byte // arrived; leased

	// These are the reading goroutine's.
	view   []byte // being read; leased
	at     int    // of view: what is before it is taken
	told   int    // of view: what is before it the peer knows to be taken
	got    int64  // bytes since the account of the rate began
	waited int64  // and how long they were waited for
	pauses bool   // nobody demands a rate
}

func (r *reader) reset() {
	r.waiter.reset()
	r.at, r.told, r.got, r.waited, r.pauses = 0, 0, 0, 0, false
}

// release gives the memory back.
func (r *reader) release() {
	bufpool.Put(r.in)
	bufpool.Put(r.view)
	r.in, r.view = nil, nil
}

// arrived takes bytes in. The lock is held.
func (s *Stream) arrived(p []byte, end bool) {
	r := &s.reader
	if len(p) > 0 {
		n := len(r.in)
		r.in = append(bufpool.Grow(r.in, max(n+len(p), 256))[:n], p...)
	}
	if end {
		r.err = io.EOF
	}
	r.tell()
}

// endOfInput says that nothing more comes. The lock is held.
func (s *Stream) endOfInput(err error) {
	if s.reader.err != nil {
		return
	}
	s.reader.err = err
	s.reader.tell()
}

// AllowPauses takes the minimum rate off the stream, from the next wait on: its peer may wait for us. Another goroutine may
// be reading.
func (s *Stream) AllowPauses() {
	s.conn.mu.Lock()
	s.reader.pauses = true
	s.conn.mu.Unlock()
}

// Unread returns what has been received and not taken, valid until the next Fill.
func (s *Stream) Unread() []byte { return s.reader.view[s.reader.at:] }

// Take says that n bytes of Unread are taken.
func (s *Stream) Take(n int) { s.reader.at += n }

// Read takes from Unread, or from what arrives next.
func (s *Stream) Read(p []byte) (int, error) {
	if len(s.Unread()) == 0 {
		if len(p) == 0 {
			return 0, nil
		}
		if _, err := s.Fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.Unread())
	s.Take(n)
	return n, nil
}

// Fill waits until more has been received and returns Unread. It fails with io.EOF at the end of the peer's message,
// io.ErrUnexpectedEOF if the connection ended before, netconn.ErrSlow beyond the deadline or below the minimum rate, or
// as the stream was reset. What is unread stays.
func (s *Stream) Fill() ([]byte, error) {
	c, r := s.conn, &s.reader
	c.mu.Lock()
	defer c.mu.Unlock()
	s.consume()
	for len(r.in) == 0 {
		if r.interrupted != nil {
			return nil, r.interrupted
		}
		if r.err != nil {
			return nil, r.err
		}
		now := c.Now()
		if r.by != 0 && r.by <= now {
			return nil, netconn.ErrSlow
		}
		slowBy := s.patience(now)
		if slowBy != 0 && slowBy <= now {
			return nil, netconn.ErrSlow
		}
		s.await(&r.waiter, slowBy)
		r.waited += c.Now() - now
	}
	r.got += int64(len(r.in))
	if left := r.view[r.at:]; len(left) > 0 {
		n := len(left)
		copy(r.view, left)
		r.view = append(bufpool.Grow(r.view, n+len(r.in))[:n], r.in...)
		r.in = r.in[:0]
	} else {
		r.view, r.in = r.in, r.view[:0]
	}
	r.at, r.told = 0, 0
	return r.view, nil
}

// TakeWhole returns all that is unread, leased from bufpool and the caller's from now on, if the peer's message has
// arrived whole. The lock is held.
func (s *Stream) TakeWhole() (p []byte, ok bool) {
	r := &s.reader
	if r.err != io.EOF || len(r.view) > 0 {
		return nil, false
	}
	p, r.in = r.in, nil
	if s.wire != nil {
		s.conn.wire.Consumed(s.wire, len(p), s.conn.Now())
	}
	return p, true
}

// consume tells the peer what has been taken: it may send as much again. The lock is held.
func (s *Stream) consume() {
	r, c := &s.reader, s.conn
	n := r.at - r.told
	if r.told = r.at; n == 0 || s.wire == nil {
		return
	}
	c.wire.Consumed(s.wire, n, c.Now())
	if c.wire.Pending() {
		c.said(false)
	}
}

// patience returns until when the next bytes may be waited for, 0 for as long as it takes: a body that is waited for
// longer than the grace has come as fast as the policy demands. The lock is held.
func (s *Stream) patience(now int64) int64 {
	r, p := &s.reader, s.conn.policy
	if p.MinReadRate <= 0 || r.pauses {
		return 0
	}
	due := max(int64(p.RateGrace), r.got*int64(time.Second)/int64(p.MinReadRate))
	return max(now+due-r.waited, 1)
}
