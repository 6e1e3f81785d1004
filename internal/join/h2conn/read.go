package h2conn

import (
	"io"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// reader is the receiving half of a stream. What has arrived waits in pieces, of which Fill takes one after the other to read it.
type reader struct {
	waiter
	in pieces // what has arrived

	// Only the reading goroutine uses these, except noMinRate.
	view       []byte // what is being read; from bufpool
	off        int    // bytes of view that were taken
	credited   int    // bytes of view that were given back to the peer's window
	rateBytes  int64  // bytes received while the minimum rate was measured
	rateWaited int64  // nanoseconds that Fill waited for them
	noMinRate  bool   // the minimum rate is not enforced; the lock guards it
}

func (r *reader) reset() {
	r.waiter.reset()
	r.off, r.credited, r.rateBytes, r.rateWaited, r.noMinRate = 0, 0, 0, 0, false
}

// release returns the buffers to bufpool.
func (r *reader) release() {
	r.in.release()
	bufpool.Put(r.view)
	r.view = nil
}

// arrivedLocked appends received bytes; end means that they are the last.
func (s *Stream) arrivedLocked(p []byte, end bool) {
	r := &s.reader
	r.in.append(p)
	if end {
		r.err = io.EOF
	}
	r.signal()
}

// endOfInputLocked makes reads fail with err once the buffered bytes are read.
func (s *Stream) endOfInputLocked(err error) {
	if s.reader.err != nil {
		return
	}
	s.reader.err = err
	s.reader.signal()
}

// AllowPauses exempts the stream from the minimum rate, from the next wait on: its peer may be waiting for us. Another
// goroutine may be reading.
func (s *Stream) AllowPauses() {
	s.conn.mu.Lock()
	s.reader.noMinRate = true
	s.conn.mu.Unlock()
}

// Unread returns the bytes that were received and not taken yet. They are only valid until the next Fill.
func (s *Stream) Unread() []byte { return s.reader.view[s.reader.off:] }

// Take removes the first n bytes from Unread.
func (s *Stream) Take(n int) { s.reader.off += n }

// Read reads from Unread, or waits for the next bytes if that is empty.
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

// Fill waits until more bytes have been received and returns Unread, which also holds the bytes that were unread before.
// It fails with io.EOF at the end of the peer's message, with io.ErrUnexpectedEOF if the connection ended before that,
// with netconn.ErrSlow after the deadline or below the minimum rate, or with the error that the stream was reset with.
func (s *Stream) Fill() ([]byte, error) {
	c, r := s.conn, &s.reader
	c.mu.Lock()
	defer c.mu.Unlock()
	s.consumeLocked()
	for r.in.empty() {
		if r.interrupted != nil {
			return nil, r.interrupted
		}
		if r.err != nil {
			return nil, r.err
		}
		now := c.Now()
		if s.passedLocked(&r.waiter) {
			return nil, netconn.ErrSlow
		}
		rateDeadline := s.minRateDeadlineLocked(now)
		if rateDeadline != 0 && rateDeadline <= now {
			return nil, netconn.ErrSlow
		}
		s.awaitLocked(&r.waiter, rateDeadline)
		r.rateWaited += c.Now() - now
	}
	next := r.in.pop()
	r.rateBytes += int64(len(next))
	if left := r.view[r.off:]; len(left) > 0 {
		n := len(left)
		copy(r.view, left)
		r.view = append(bufpool.Grow(r.view, n+len(next))[:n], next...)
		bufpool.Put(next)
	} else {
		r.in.reuse(r.view)
		r.view = next
	}
	r.off, r.credited = 0, 0
	return r.view, nil
}

// TakeWholeLocked returns all unread bytes if the peer's message has arrived whole and none of it was read yet. p is
// from bufpool and belongs to the caller.
func (s *Stream) TakeWholeLocked() (p []byte, ok bool) {
	r := &s.reader
	if r.err != io.EOF || len(r.view) > 0 {
		return nil, false
	}
	p = r.in.whole()
	if s.wire != nil {
		s.conn.wire.Consumed(s.wire, len(p), s.conn.Now())
	}
	return p, true
}

// consumeLocked gives the bytes that were taken back to the windows, so that the peer may send as many again.
func (s *Stream) consumeLocked() {
	r, c := &s.reader, s.conn
	n := r.off - r.credited
	if r.credited = r.off; n == 0 || s.wire == nil {
		return
	}
	c.wire.Consumed(s.wire, n, c.Now())
	if c.wire.Pending() {
		c.outputReadyLocked(false)
	}
}

// minRateDeadlineLocked returns until when Fill may wait for the next bytes, 0 for no limit. A body for which reads
// have waited longer than Policy.RateGrace must have come at Policy.MinReadRate on average.
func (s *Stream) minRateDeadlineLocked(now int64) int64 {
	r, p := &s.reader, s.conn.policy
	if p.MinReadRate <= 0 || r.noMinRate {
		return 0
	}
	due := max(int64(p.RateGrace), r.rateBytes*int64(time.Second)/int64(p.MinReadRate))
	return max(now+due-r.rateWaited, 1)
}
