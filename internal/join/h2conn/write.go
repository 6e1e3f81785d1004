package h2conn

import (
	"io"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// writer is the sending half of a stream.
type writer struct {
	waiter
	unsent    []byte // what Send has left to send; the caller's memory
	end       bool   // our message ends with unsent
	wantsRoom bool   // the goroutine is blocked in AwaitRoom
}

// stop makes writes fail with err, also one that is blocked. The caller must hold the lock.
func (w *writer) stop(err error) {
	if w.err == nil {
		w.err = err
	}
	w.unsent, w.end = nil, false
	w.signal()
}

// directLimit is how many bytes Send may put into the connection's own buffer. Beyond that the bytes stay with their
// stream, and leave when the peer takes them.
const directLimit = 16 << 10

// headLimit is how many bytes the connection's buffer may hold before AwaitRoom blocks. Header sections cannot stay with
// their streams, because they must be sent in the order in which they were encoded. Without the limit a peer that reads
// nothing could make the buffer grow without end.
const headLimit = 64 << 10

// frameRoom is room for the header of a frame and the connection's own pending frames.
const frameRoom = 1 << 10

// quantum is how many bytes one stream sends before it is the next stream's turn.
const quantum = 16 << 10

// AwaitRoom waits until there is room for a header section, or until nothing can be sent any more, which Out then
// reports. Only a server calls it: a client decides for itself how many header sections it sends. The caller must hold
// the lock, which is released while AwaitRoom waits.
func (s *Stream) AwaitRoom() {
	c, w := s.conn, &s.writer
	for len(c.out) > headLimit && s.mayWrite() == nil {
		w.wantsRoom = true
		c.roomWanted = true
		c.mu.Unlock()
		c.link.Draw(c)
		c.mu.Lock()
		if w.wantsRoom {
			s.await(&w.waiter, 0)
		}
	}
	w.wantsRoom = false
}

// wakeRoomWaiters wakes the goroutines in AwaitRoom. The caller must hold the lock.
func (c *Conn) wakeRoomWaiters() {
	if !c.roomWanted {
		return
	}
	c.roomWanted = false
	for w := range c.wire.Streams {
		if s := streamOf(w); s.writer.wantsRoom {
			s.writer.wantsRoom = false
			s.writer.signal()
		}
	}
}

// Out lends the output buffer to an owner that appends a header section itself. It fails if nothing can be sent. The
// caller must hold the lock, and keep it until it has returned the buffer with SetOut.
func (s *Stream) Out() (*http2.Conn, []byte, error) {
	if err := s.mayWrite(); err != nil {
		return nil, nil, err
	}
	return s.conn.wire, s.conn.out, nil
}

// SetOut returns the buffer that Out lent. last means that the stream sends nothing after this.
func (s *Stream) SetOut(out []byte, last bool) {
	s.conn.out = out
	s.conn.outputReady(last)
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

// mayWrite returns an error if nothing can be sent on the stream. The caller must hold the lock.
func (s *Stream) mayWrite() error {
	w := &s.writer
	switch {
	case w.err != nil:
		return w.err
	case w.interrupted != nil:
		return w.interrupted
	case s.finished():
		return ErrClosed
	case s.passed(&w.waiter):
		return netconn.ErrSlow
	}
	return nil
}

// finished reports whether our message has ended: nothing follows END_STREAM (RFC 9113 §5.1). The caller must hold the
// lock.
func (s *Stream) finished() bool {
	state := s.wire.State()
	return state == http2.StateHalfClosedLocal || state == http2.StateClosed
}

// Send sends p and, if end is set, ends our message with it. It returns when all of p has been copied to the output. It
// fails when the stream is reset, the connection ends or the write deadline passes, and with ErrClosed after the end of
// our message. The caller must hold the lock, which is released while Send waits. p is not kept.
func (s *Stream) Send(p []byte, end bool) error {
	_, err := s.send(p, end, true)
	return err
}

// SendNow is Send that does not wait for the peer. It returns the rest of p that could not be sent now; the end of our
// message has been sent if there is none.
func (s *Stream) SendNow(p []byte, end bool) (rest []byte, err error) { return s.send(p, end, false) }

func (s *Stream) send(p []byte, end, wait bool) (rest []byte, err error) {
	c, w := s.conn, &s.writer
	if err := s.mayWrite(); err != nil {
		return nil, err
	}
	if len(c.out)+len(p) <= directLimit || len(p) == 0 { // an end alone needs no window (RFC 9113 §6.9.1) and waits for no turn
		var n int
		c.out, n = c.wire.AppendData(c.out, s.wire, p, end, c.Now())
		c.outputReady(end && n == len(p))
		if p = p[n:]; len(p) == 0 {
			return nil, nil
		}
	}
	w.unsent, w.end = p, end
	c.wire.Ready(s.wire, c.Now())
	for {
		c.mu.Unlock()
		c.link.Draw(c)
		c.mu.Lock()
		if len(w.unsent) == 0 && !w.end {
			return nil, w.err
		}
		err := s.mayWrite() // the deadline has passed, or Interrupt was called
		if err == nil && s.blockedForever() {
			err = io.ErrUnexpectedEOF
		}
		if err != nil || !wait {
			rest, w.unsent, w.end = w.unsent, nil, false
			c.wire.Unready(s.wire)
			return rest, err
		}
		s.await(&w.waiter, 0)
	}
}

// blockedForever reports whether nothing more can be sent: a window is empty, and the peer has closed its sending side,
// so that it cannot open one. The caller must hold the lock.
func (s *Stream) blockedForever() bool {
	c := s.conn
	return c.ended && (s.wire.SendWindow() <= 0 || c.wire.SendWindow() <= 0)
}

// appendUnsent appends DATA of the bytes that Send is waiting to send: at most most bytes, and at most a quantum. The
// stream must have a window, or no Send that waits. The caller must hold the lock.
func (s *Stream) appendUnsent(dst []byte, most int) []byte {
	c, w := s.conn, &s.writer
	p := w.unsent[:min(len(w.unsent), quantum, most)]
	if n := len(dst); cap(dst)-n < len(p)+frameRoom {
		dst = bufpool.Grow(dst, n+most+frameRoom)[:n] // dst is from bufpool
	}
	dst, n := c.wire.AppendData(dst, s.wire, p, w.end && len(p) == len(w.unsent), c.Now())
	if w.unsent = w.unsent[n:]; len(w.unsent) == 0 {
		w.unsent, w.end = nil, false
		c.wire.Unready(s.wire)
		w.signal()
	} else if c.ended {
		w.signal() // Send checks blockedForever: the windows may be empty now
	}
	return dst
}

// Flush sends the stream's output as far as the peer takes it, and does not wait for the rest: on a busy connection there
// is always something left. A goroutine that produces more than the connection takes waits in Send. Flush returns an
// error if the stream can no longer be written to.
func (s *Stream) Flush() error {
	s.conn.Draw()
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.writer.err
}
