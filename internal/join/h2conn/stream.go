package h2conn

import (
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Stream is one request and response, as the owner of the connection uses it. It is embedded in a type of the owner's and
// can be used again. One goroutine at a time may read and one may write; they may be different ones.
type Stream struct {
	Owner any // the value that embeds the Stream; its owner sets it once

	conn *Conn
	wire *http2.Stream

	reader reader
	writer writer
	onGone *goneHook // set by OnGone; the lock guards it
	gone   bool      // NoteGone was called; likewise
}

// goneHook is the function of one OnGone call. f is nil once it was called or removed. The connection's lock guards it.
type goneHook struct {
	conn   *Conn // not that of the stream, which may belong to another connection by the time of ForgetGone
	f      func()
	inline bool // f is called on the goroutine that notices, with the lock held
}

// remove removes the function and returns it; nil if there is none. w may be nil.
func (w *goneHook) remove() (f func()) {
	if w != nil {
		f, w.f = w.f, nil
	}
	return f
}

// waiter is the state of a goroutine that waits for the peer. The connection's lock guards it, except wake.
type waiter struct {
	wake         chan struct{} // buffered, for one signal
	waiting      bool          // the goroutine is waiting
	deadline     netconn.Due   // set by SetReadDeadline or SetWriteDeadline; 0 is none
	rateDeadline int64         // when this wait violates Policy.MinReadRate; 0 is never
	err          error         // why there is nothing more to wait for

	interrupted error // set by Interrupt
}

// signal wakes the goroutine. It does not block.
func (w *waiter) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// reset prepares w for another stream.
func (w *waiter) reset() {
	if w.wake == nil {
		w.wake = make(chan struct{}, 1)
	}
	select {
	case <-w.wake:
	default:
	}
	w.waiting, w.deadline, w.err, w.interrupted = false, 0, nil, nil
}

// Begin makes s the owner's end of w. s must be the zero Stream, or one that has been ended with End. The caller must
// hold the lock.
func (s *Stream) Begin(c *Conn, w *http2.Stream) {
	s.conn, s.wire, s.gone = c, w, false
	s.reader.reset()
	s.writer.reset()
	w.Owner = s
}

// Over reports whether the stream can no longer be written to. The caller must hold the lock.
func (s *Stream) Over() bool { return s.writer.err != nil }

// Wire returns the HTTP/2 state of the stream, nil after End. The caller must hold the lock.
func (s *Stream) Wire() *http2.Stream { return s.wire }

// Conn returns the connection of the stream.
func (s *Stream) Conn() *Conn { return s.conn }

// End releases the stream. If it has not ended, it is reset. The owner may Begin it again; until then reads and writes
// fail with ErrClosed, unless they failed for another reason before. End must be called once for each Begin, also when
// the connection is over, when no goroutine reads or writes any more. The caller must hold the lock. If free is true, the
// caller must call EndWork of the link after releasing the lock.
func (s *Stream) End() (free bool) {
	c := s.conn
	if s.wire == nil {
		return false
	}
	w := s.wire
	s.wire = nil
	s.onGone.remove()
	s.reader.release()
	s.endOfInput(ErrClosed)
	s.writer.stop(ErrClosed)
	w.Owner = nil
	c.wire.Release(w) // what is due then is seen by the alarm that runs while there are streams
	if c.wire.Pending() {
		c.outputReady(true)
	}
	return c.ending() && c.becomeIdle()
}

// Finish is End for a stream whose response is complete: if finish is set, our message ends first. The caller must hold
// the lock.
func (s *Stream) Finish(finish bool) (free bool) {
	c := s.conn
	if finish && s.writer.err == nil {
		c.out, _ = c.wire.AppendData(c.out, s.wire, nil, true, c.Now())
		c.outputReady(true)
	}
	return s.End()
}

// Interrupt makes reads and writes fail with err, also those that wait. The stream itself goes on. The caller must hold
// the lock.
func (s *Stream) Interrupt(err error) {
	s.reader.interrupted = err
	s.reader.signal()
	s.writer.interrupted = err
	s.writer.signal()
}

// Reset resets the stream with the code. The caller must hold the lock.
func (s *Stream) Reset(code http2.ErrCode) { s.ResetFor(code, ErrClosed) }

// ResetFor is Reset with the error that reads and writes then fail with. Bytes that have arrived can still be read.
func (s *Stream) ResetFor(code http2.ErrCode, err error) {
	if s.wire == nil {
		return
	}
	s.conn.wire.Reset(s.wire, code)
	s.fail(err)
	s.conn.outputReady(true)
}

// FailWrites makes writes fail with err, and does nothing else. The caller must hold the lock.
func (s *Stream) FailWrites(err error) {
	s.writer.stop(err)
	if s.wire != nil {
		s.conn.wire.Unready(s.wire) // or the stream would be reset as stalled
	}
}

// Wake wakes the goroutine in Wait. The caller must hold the lock.
func (s *Stream) Wake() { s.reader.signal() }

// Wait waits until Wake is called, the stream's input ends or done is closed; done may be nil. It returns an error if the
// input had already ended (io.EOF after a complete message), and netconn.ErrSlow if the read deadline had passed. A nil
// error means only that the caller should look again: Wait may also return for no reason. It may only be called by the
// goroutine that reads. The caller must hold the lock, which is released while Wait waits.
func (s *Stream) Wait(done <-chan struct{}) error {
	r := &s.reader
	if r.err != nil {
		return r.err
	}
	if s.passed(&r.waiter) {
		return netconn.ErrSlow
	}
	s.awaitOr(&r.waiter, 0, done)
	return nil
}

// fail makes reads and writes fail with err and calls the OnGone function. The caller must hold the lock.
func (s *Stream) fail(err error) {
	s.endOfInput(err)
	s.writer.stop(err)
	s.runOnGone()
}

// OnGone calls f once, on a new goroutine, when the peer resets the stream or closes the connection. A second OnGone or
// OnGoneInline replaces the first.
func (s *Stream) OnGone(f func()) netconn.GoneCall { return s.setOnGone(&goneHook{f: f}) }

// OnGoneInline is OnGone for an f that is called on the goroutine that notices, with the lock held: before a read or write
// that fails for that reason returns. f must not block and must not use the connection. If the peer has gone already, f is
// called before OnGoneInline returns.
func (s *Stream) OnGoneInline(f func()) netconn.GoneCall {
	return s.setOnGone(&goneHook{f: f, inline: true})
}

func (s *Stream) setOnGone(w *goneHook) netconn.GoneCall {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	w.conn = c
	s.onGone.remove()
	s.onGone = w
	if s.over() {
		s.runOnGone()
	}
	return netconn.GoneCall{Keeper: w}
}

// over reports whether the peer is known to have gone. The caller must hold the lock.
func (s *Stream) over() bool { return s.gone || s.writer.err != nil || s.conn.ended }

// Gone reports whether the peer has reset the stream, has closed its half or the connection, or whether the connection has
// failed. What is not known already it asks the system, for one system call. Any goroutine may call it until End, without
// the lock.
func (s *Stream) Gone() bool {
	s.conn.mu.Lock()
	over := s.over()
	s.conn.mu.Unlock()
	return over || s.conn.link.Lost()
}

// NoteGone makes Gone return true and calls the OnGone function. Any goroutine may call it until End, without the lock.
func (s *Stream) NoteGone() {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.gone = true
	s.runOnGone()
}

// ForgetGone implements netconn.GoneKeeper. It uses the hook alone: the stream may be another by now.
func (w *goneHook) ForgetGone(uint64) bool {
	w.conn.mu.Lock()
	defer w.conn.mu.Unlock()
	return w.remove() != nil
}

// runOnGone calls the function that was given to OnGone, if any. The caller must hold the lock.
func (s *Stream) runOnGone() {
	w := s.onGone
	switch f := w.remove(); {
	case f == nil:
	case w.inline:
		f()
	default:
		go f()
	}
}

// SetReadDeadline sets the deadline of reads, including one that waits; the zero time is none. Any goroutine may call it
// until End.
func (s *Stream) SetReadDeadline(t time.Time) error { return s.setDeadline(&s.reader.waiter, t) }

// SetReadTimeout sets the read deadline to d from now; 0 is none. The caller must hold the lock.
func (s *Stream) SetReadTimeout(d time.Duration) {
	s.setDue(&s.reader.waiter, s.conn.link.DueIn(max(d, 0)))
}

// SetWriteTimeout is SetReadTimeout for writes.
func (s *Stream) SetWriteTimeout(d time.Duration) {
	s.setDue(&s.writer.waiter, s.conn.link.DueIn(max(d, 0)))
}

// setDue sets a deadline. The caller must hold the lock.
func (s *Stream) setDue(w *waiter, at netconn.Due) {
	w.deadline = at
	if w.waiting {
		w.signal() // the waiter sees the new deadline and waits again
	}
}

// passed reports whether the deadline of w has passed. The caller must hold the lock.
func (s *Stream) passed(w *waiter) bool {
	return w.deadline != 0 && s.conn.link.MomentOf(w.deadline) <= s.conn.Now()
}

// ReadExpired reports whether the read deadline has passed. Read returns what has arrived even then.
func (s *Stream) ReadExpired() bool {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.passed(&s.reader.waiter)
}

// SetWriteDeadline sets the deadline of writes, including one that waits; the zero time is none. Any goroutine may call
// it until End.
func (s *Stream) SetWriteDeadline(t time.Time) error { return s.setDeadline(&s.writer.waiter, t) }

func (s *Stream) setDeadline(w *waiter, t time.Time) error {
	c := s.conn
	c.mu.Lock()
	defer c.mu.Unlock()
	s.setDue(w, c.link.DueOf(t))
	return nil
}

// await waits until w is signaled. Alarm signals it at w's deadline, and at the time by if that is not 0. The caller must
// hold the lock, which is released while await waits.
func (s *Stream) await(w *waiter, by int64) { s.awaitOr(w, by, nil) }

// awaitOr is await that also returns when done is closed.
func (s *Stream) awaitOr(w *waiter, by int64, done <-chan struct{}) {
	c := s.conn
	c.arm(earlier(c.link.MomentOf(w.deadline), by))
	w.rateDeadline, w.waiting = by, true
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
	w.waiting = false
}

// expire wakes the goroutines whose deadline has passed, and returns the next deadline, 0 if there is none. The caller
// must hold the lock.
func (s *Stream) expire(now int64) (next int64) {
	for _, w := range [...]*waiter{&s.reader.waiter, &s.writer.waiter} {
		by := earlier(s.conn.link.MomentOf(w.deadline), w.rateDeadline)
		switch {
		case !w.waiting || by == 0:
		case by <= now:
			w.signal()
		default:
			next = earlier(next, by)
		}
	}
	return next
}
