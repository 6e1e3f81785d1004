package h2conn

import (
	"io"

	"github.com/shockwave-go/shockwave/http2"
)

// Stream is one request and response, as the owner of the connection uses it. It is embedded in a type of the owner's and
// can be used again. One goroutine at a time may read and one may write; they may be different ones. What ends in Locked
// needs the connection's lock; the rest takes it.
//
//	Conn, for the peer ─► receiving ─► Fill, Read     one goroutine
//	Conn, for a turn   ◄─ sending   ◄─ SendLocked     one goroutine
type Stream struct {
	Owner any // the value that embeds the Stream; its owner sets it once

	conn *session
	wire *http2.Stream

	reader receiving
	writer sending
	onGone *goneHook // set by OnGone; the lock guards it
	gone   bool      // NoteGone was called; likewise
}

// StreamOf returns the Stream that owns w. Every stream that the wire has an event for has one, from BeginLocked to
// EndLocked.
func StreamOf(w *http2.Stream) *Stream { return w.Owner.(*Stream) }

// beginLocked makes s the owner's end of w, a stream of c.
func (s *Stream) beginLocked(c *session, w *http2.Stream) {
	s.conn, s.wire, s.gone = c, w, false
	s.reader.reset()
	s.writer.reset()
	w.Owner = s
}

// OverLocked reports whether the stream can no longer be written to.
func (s *Stream) OverLocked() bool { return s.writer.err != nil }

// WireLocked returns the HTTP/2 state of the stream, nil after EndLocked.
func (s *Stream) WireLocked() *http2.Stream { return s.wire }

// EndLocked releases the stream. If it has not ended, it is reset. The owner may begin it again; until then reads and
// writes fail with ErrClosed, unless they failed for another reason before. EndLocked must be called once for each
// BeginLocked, also when the connection is over, when no goroutine reads or writes any more. If free is true, the caller
// must call EndWork of the link after releasing the lock.
func (s *Stream) EndLocked() (free bool) {
	c := s.conn
	if s.wire == nil {
		return false
	}
	w := s.wire
	s.wire = nil
	s.onGone.remove()
	s.reader.release()
	s.reader.end(ErrClosed)
	s.writer.stop(ErrClosed)
	w.Owner = nil
	c.wire.Release(w) // what is due then is seen by the alarm that runs while there are streams
	if c.wire.Pending() {
		c.outputReadyLocked(true)
	}
	return c.endingLocked() && c.becomeIdleLocked()
}

// FinishLocked is EndLocked for a stream whose response is complete: if finish is set, our message ends first.
func (s *Stream) FinishLocked(finish bool) (free bool) {
	c := s.conn
	if finish && s.writer.err == nil {
		c.out, _ = c.wire.AppendData(c.out, s.wire, nil, true, c.Now())
		c.outputReadyLocked(true)
	}
	return s.EndLocked()
}

// InterruptLocked makes reads and writes fail with err, also those that wait. The stream itself goes on.
func (s *Stream) InterruptLocked(err error) {
	s.reader.interrupt(err)
	s.writer.interrupt(err)
}

// ResetLocked resets the stream with the code.
func (s *Stream) ResetLocked(code http2.ErrCode) { s.ResetForLocked(code, ErrClosed) }

// ResetForLocked is ResetLocked with the error that reads and writes then fail with. Bytes that have arrived can still be
// read.
func (s *Stream) ResetForLocked(code http2.ErrCode, err error) {
	if s.wire == nil {
		return
	}
	s.conn.wire.Reset(s.wire, code)
	s.failLocked(err)
	s.conn.outputReadyLocked(true)
}

// failLocked makes reads and writes fail with err and calls the OnGone function.
func (s *Stream) failLocked(err error) {
	s.reader.end(err)
	s.writer.stop(err)
	s.onGone.run()
}

// inputEndedLocked records that the peer has closed its sending side of the connection.
func (s *Stream) inputEndedLocked() {
	s.reader.end(io.ErrUnexpectedEOF)
	s.writer.signal() // it may be waiting for a window
	s.onGone.run()
}

// expireLocked wakes the goroutines whose deadline has passed, and returns the next deadline, 0 if there is none.
func (s *Stream) expireLocked(now int64) (next int64) {
	return earlier(s.reader.expire(s.conn, now), s.writer.expire(s.conn, now))
}
