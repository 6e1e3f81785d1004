package h2conn

import (
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// Stream is one exchange as its owner uses it: a part of the owner's own type, which can be used again. One goroutine at
// a time reads, one at a time writes; they may be two.
type Stream struct {
	Owner any // what the stream is a part of; its owner sets it once

	conn *Conn
	wire *http2.Stream

	reader reader
	writer writer
	onGone *wish // OnGone's; the lock guards it
}

// wish is one of OnGone: nil when it has been kept, or is none any more. The lock of its connection guards it.
type wish struct{ f func() }

// drop takes a wish back and returns what it was.
func (w *wish) drop() (f func()) {
	if w != nil {
		f, w.f = w.f, nil
	}
	return f
}

// waiter is a goroutine that waits for the peer. The lock of the connection guards it, but for wake.
type waiter struct {
	wake   chan struct{} // room for one
	waits  bool
	by     int64 // the deadline that was set; 0 is none
	slowBy int64 // when this wait will have been too long for Policy.MinReadRate; 0 is never
	err    error // why it waits no more

	interrupted error // Interrupt's
}

// tell wakes the waiter.
func (w *waiter) tell() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// reset makes w ready for another stream.
func (w *waiter) reset() {
	if w.wake == nil {
		w.wake = make(chan struct{}, 1)
	}
	select {
	case <-w.wake:
	default:
	}
	w.waits, w.by, w.err, w.interrupted = false, 0, nil, nil
}

// Begin makes s, which is the zero Stream or one that was ended, the owner's end of w. The lock is held.
func (s *Stream) Begin(c *Conn, w *http2.Stream) {
	s.conn, s.wire = c, w
	s.reader.reset()
	s.writer.reset()
	w.Owner = s
}

// Over reports whether nothing can be said on the stream any more. The lock is held.
func (s *Stream) Over() bool { return s.writer.err != nil }

// Wire returns the stream's state, nil after End. The lock is held.
func (s *Stream) Wire() *http2.Stream { return s.wire }

// Conn returns the connection.
func (s *Stream) Conn() *Conn { return s.conn }

// End gives the stream up: one that has not ended is reset. The owner may Begin it anew; until then what has not ended
// before fails with ErrClosed. It must be called once, also when the connection is over, when nobody reads or writes any
// more. The lock is held; with free the caller calls EndWork of the link without it.
func (s *Stream) End() (free bool) {
	c := s.conn
	if s.wire == nil {
		return false
	}
	w := s.wire
	s.wire = nil
	s.onGone.drop()
	s.reader.release()
	s.endOfInput(ErrClosed)
	s.writer.stop(ErrClosed)
	w.Owner = nil
	c.wire.Release(w)
	c.arm(c.wire.Deadline())
	if c.wire.Pending() {
		c.said(true)
	}
	return c.hurried() && c.rested()
}

// Leave is End of a stream whose answer is whole as it is: with finish its message ends here. The lock is held.
func (s *Stream) Leave(finish bool) (free bool) {
	c := s.conn
	if finish && s.writer.err == nil {
		c.out, _ = c.wire.AppendData(c.out, s.wire, nil, true, c.Now())
		c.said(true)
	}
	return s.End()
}

// Interrupt has who reads or writes end that with err, and nobody else begin. The stream goes on. The lock is held.
func (s *Stream) Interrupt(err error) {
	s.reader.interrupted = err
	s.reader.tell()
	s.writer.interrupted = err
	s.writer.tell()
}

// Reset ends the stream with a code before its time. The lock is held.
func (s *Stream) Reset(code http2.Code) { s.ResetFor(code, ErrClosed) }

// ResetFor is Reset that has reading and writing fail with err. What has arrived can still be read.
func (s *Stream) ResetFor(code http2.Code, err error) {
	if s.wire == nil {
		return
	}
	s.conn.wire.Reset(s.wire, code)
	s.fail(err)
	s.conn.said(true)
}

// Hush ends writing with err and nothing else. The lock is held.
func (s *Stream) Hush(err error) { s.writer.stop(err) }

// Tell wakes who waits with Wait. The lock is held.
func (s *Stream) Tell() { s.reader.tell() }

// Wait waits, as the goroutine that reads, until Tell or the end of the stream, and returns nil after the one and why it
// has ended after the other, which can also be io.EOF. It may return nil for no reason. It fails with
// netconn.ErrSlow beyond the read deadline, and returns nil when done is closed, which may be nil. The lock is held, and
// given back meanwhile.
func (s *Stream) Wait(done <-chan struct{}) error {
	r := &s.reader
	if r.err != nil {
		return r.err
	}
	if r.by != 0 && r.by <= s.conn.Now() {
		return netconn.ErrSlow
	}
	s.awaitOr(&r.waiter, 0, done)
	return nil
}

// fail ends reading and writing with err, and tells who asked for that. The lock is held.
func (s *Stream) fail(err error) {
	s.endOfInput(err)
	s.writer.stop(err)
	s.tellGone()
}

// OnGone calls f once, on a goroutine of its own, when the peer has reset the stream, or gone. stop takes that back and
// reports whether f will not be called. A second f takes the place of the first.
func (s *Stream) OnGone(f func()) (stop func() bool) {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.writer.err != nil || c.ended {
		go f()
		return func() bool { return false }
	}
	s.onGone.drop()
	mine := &wish{f}
	s.onGone = mine
	return func() bool { // s, and what is below it, may be another stream's by now
		c.mu.Lock()
		defer c.mu.Unlock()
		return mine.drop() != nil
	}
}

// tellGone keeps the promise of OnGone. The lock is held.
func (s *Stream) tellGone() {
	if f := s.onGone.drop(); f != nil {
		go f()
	}
}

// SetReadDeadline bounds reads, also one that waits; the zero time is none. Any goroutine may call it until End.
func (s *Stream) SetReadDeadline(t time.Time) error { return s.setDeadline(&s.reader.waiter, t) }

// BoundRead is SetReadDeadline with the lock held, for a time from now; 0 is none.
func (s *Stream) BoundRead(d time.Duration) {
	w := &s.reader.waiter
	if w.by = 0; d > 0 {
		w.by = s.conn.Now() + int64(d)
	}
	if w.waits {
		w.tell()
	}
}

// SetWriteDeadline bounds writes, also one that waits; the zero time is none. Any goroutine may call it until End.
func (s *Stream) SetWriteDeadline(t time.Time) error { return s.setDeadline(&s.writer.waiter, t) }

func (s *Stream) setDeadline(w *waiter, t time.Time) error {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	w.by = c.link.MomentOf(t)
	if w.waits {
		w.tell() // it looks, and asks to be woken at the new time
	}
	return nil
}

// await waits for what w is told, until its deadline and no longer than until by, 0 for none. The lock is held, and given
// back meanwhile.
func (s *Stream) await(w *waiter, by int64) { s.awaitOr(w, by, nil) }

// awaitOr is await that ends with done, too.
func (s *Stream) awaitOr(w *waiter, by int64, done <-chan struct{}) {
	c := s.conn
	c.arm(earlier(w.by, by))
	w.slowBy, w.waits = by, true
	c.mu.Unlock()
	if done == nil {
		<-w.wake
	} else {
		select {
		case <-w.wake:
		case <-done:
		}
	}
	c.mu.Lock()
	w.waits = false
}

// expire wakes who waits for longer than it may, and returns when to look again. The lock is held.
func (s *Stream) expire(now int64) (next int64) {
	for _, w := range [...]*waiter{&s.reader.waiter, &s.writer.waiter} {
		by := earlier(w.by, w.slowBy)
		switch {
		case !w.waits || by == 0:
		case by <= now:
			w.tell()
		default:
			next = earlier(next, by)
		}
	}
	return next
}
