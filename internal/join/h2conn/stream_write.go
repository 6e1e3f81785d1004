package h2conn

import (
	"time"

	"github.com/shockwave-go/shockwave/http2"
)

// AwaitRoomLocked waits until there is room for a header section, or until nothing can be sent any more, which OutLocked
// then reports. Only a server calls it: a client decides for itself how many header sections it sends. The lock is
// released while it waits.
func (s *Stream) AwaitRoomLocked() {
	c, w := s.conn, &s.writer
	for len(c.out) > headLimit && w.check(c, s.wire) == nil {
		w.wantsRoom = true
		c.roomWanted = true
		s.drawLocked()
		if w.wantsRoom {
			w.await(c, 0)
		}
	}
	w.wantsRoom = false
}

// drawLocked is Conn.Draw, with the lock released meanwhile.
func (s *Stream) drawLocked() {
	c := s.conn
	c.mu.Unlock()
	c.owner.Draw()
	c.mu.Lock()
}

// OutLocked lends the output buffer to an owner that appends a header section itself. It fails if nothing can be sent. The
// lock stays held until SetOutLocked has returned the buffer.
func (s *Stream) OutLocked() (*http2.Conn, []byte, error) {
	if err := s.writer.check(s.conn, s.wire); err != nil {
		return nil, nil, err
	}
	return s.conn.wire, s.conn.out, nil
}

// SetOutLocked returns the buffer that OutLocked lent. last means that the stream sends nothing after this.
func (s *Stream) SetOutLocked(out []byte, last bool) {
	s.conn.out = out
	s.conn.outputReadyLocked(last)
}

// AllowStall lets writes wait for the peer's window for ever, or until the write deadline. Without it the wire resets the
// stream at some point.
func (s *Stream) AllowStall() {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	if s.wire != nil {
		s.wire.AllowStall()
	}
}

// SendLocked sends p and, if end is set, ends our message with it. It returns when all of p has been copied to the output.
// It fails when the stream is reset, the connection ends or the write deadline passes, and with ErrClosed after the end of
// our message. The lock is released while it waits. p is not kept.
func (s *Stream) SendLocked(p []byte, end bool) error {
	_, err := s.sendLocked(p, end, true)
	return err
}

// SendNowLocked is SendLocked that does not wait for the peer. It returns the rest of p that could not be sent now; the end
// of our message has been sent if there is none.
func (s *Stream) SendNowLocked(p []byte, end bool) (rest []byte, err error) {
	return s.sendLocked(p, end, false)
}

func (s *Stream) sendLocked(p []byte, end, wait bool) (rest []byte, err error) {
	c, w := s.conn, &s.writer
	if err := w.check(c, s.wire); err != nil {
		return nil, err
	}
	p, all := w.direct(c, s.wire, p, end)
	if all {
		return nil, nil
	}
	w.queue(c, s.wire, p, end)
	for {
		s.drawLocked()
		if w.sent() {
			return nil, w.err
		}
		if err := w.stuck(c, s.wire); err != nil || !wait {
			return w.unqueue(c, s.wire), err
		}
		w.await(c, 0)
	}
}

// FailWritesLocked makes writes fail with err, and does nothing else.
func (s *Stream) FailWritesLocked(err error) {
	s.writer.stop(err)
	if s.wire != nil {
		s.conn.wire.Unready(s.wire) // or the stream would be reset as stalled
	}
}

// Flush sends the stream's output as far as the peer takes it, and does not wait for the rest: on a busy connection there
// is always something left. A goroutine that produces more than the connection takes waits in SendLocked. Flush returns an
// error if the stream can no longer be written to.
func (s *Stream) Flush() error {
	s.conn.owner.Draw()
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.writer.err
}

// SetWriteDeadline sets the deadline of writes, including one that waits; the zero time is none. Any goroutine may call
// it until EndLocked.
func (s *Stream) SetWriteDeadline(t time.Time) error {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.writer.setDue(s.conn.link.DueOf(t))
	return nil
}

// SetWriteTimeoutLocked is SetReadTimeoutLocked for writes.
func (s *Stream) SetWriteTimeoutLocked(d time.Duration) {
	s.writer.setDue(s.conn.link.DueIn(max(d, 0)))
}
