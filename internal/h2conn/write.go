package h2conn

import (
	"io"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// writer is the sending half of a stream.
type writer struct {
	waiter
	rest  []byte // what Send waits for to be taken: the caller's
	end   bool   // our message ends with rest
	crowd bool   // AwaitRoom waits
}

// stop ends writing with err. The lock is held.
func (w *writer) stop(err error) {
	if w.err == nil {
		w.err = err
	}
	w.rest, w.end = nil, false
	w.tell()
}

// atOnce is up to how much may wait in a connection's own buffer. What is beyond stays with its stream, and is taken when
// the peer takes it.
const atOnce = 16 << 10

// crowded is how much may wait there before who would say a header section waits, too: those do not stay with their streams.
// A peer that reads nothing could ask for any number of them.
const crowded = 64 << 10

// frameRoom is enough for the header of a frame, and what waits to be said beside it.
const frameRoom = 1 << 10

// turn is how much of a stream is sent before it is another one's turn.
const turn = 16 << 10

// AwaitRoom waits until there is room for a header section, or nothing may be sent, which Out tells. A client, whose header
// sections are as many as it wants, needs no room. The lock is held, and given back meanwhile.
func (s *Stream) AwaitRoom() {
	c, w := s.conn, &s.writer
	for len(c.out) > crowded && s.mayWrite() == nil {
		w.crowd = true
		c.crowds = true
		c.mu.Unlock()
		c.link.Draw(c)
		c.mu.Lock()
		if w.crowd {
			s.await(&w.waiter, 0)
		}
	}
	w.crowd = false
}

// disperse wakes who waits for room. The lock is held.
func (c *Conn) disperse() {
	if !c.crowds {
		return
	}
	c.crowds = false
	for w := range c.wire.Streams {
		if s := streamOf(w); s.writer.crowd {
			s.writer.crowd = false
			s.writer.tell()
		}
	}
}

// Out lends the buffer of what is to be sent to an owner that appends a header section itself, and fails if nothing may be
// sent. SetOut gives it back. The lock is held from the one to the other.
func (s *Stream) Out() (*http2.Conn, []byte, error) {
	if err := s.mayWrite(); err != nil {
		return nil, nil, err
	}
	return s.conn.wire, s.conn.out, nil
}

// SetOut gives the buffer back. last: nothing of the stream comes behind it.
func (s *Stream) SetOut(out []byte, last bool) {
	s.conn.out = out
	s.conn.said(last)
}

// mayWrite fails if nothing may be sent. The lock is held.
func (s *Stream) mayWrite() error {
	w := &s.writer
	switch {
	case w.err != nil:
		return w.err
	case w.interrupted != nil:
		return w.interrupted
	case s.finished():
		return ErrClosed
	case w.by != 0 && w.by <= s.conn.Now():
		return netconn.ErrSlow
	}
	return nil
}

// finished reports whether our message has ended: nothing comes behind END_STREAM (RFC 9113 §5.1). The lock is held.
func (s *Stream) finished() bool {
	state := s.wire.State()
	return state == http2.HalfClosedLocal || state == http2.Closed
}

// Send sends p, and the end of our message behind it if end says so. It returns when p has been taken, if not by the peer
// then by the connection, and fails when the stream is reset, the connection ends or the write deadline passes, with
// ErrClosed behind the end of our message. The lock is held, and given back meanwhile. p is not kept.
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
	if len(c.out)+len(p) <= atOnce || len(p) == 0 { // an end needs no window (RFC 9113 §6.9.1), and has no turn
		var n int
		c.out, n = c.wire.AppendData(c.out, s.wire, p, end, c.Now())
		c.said(end && n == len(p))
		if p = p[n:]; len(p) == 0 {
			return nil, nil
		}
	}
	w.rest, w.end = p, end
	c.wire.Ready(s.wire, c.Now())
	for {
		c.mu.Unlock()
		c.link.Draw(c)
		c.mu.Lock()
		if len(w.rest) == 0 && !w.end {
			return nil, w.err
		}
		err := s.mayWrite() // the deadline, or an interrupt
		if err == nil && s.hopeless() {
			err = io.ErrUnexpectedEOF
		}
		if err != nil || !wait {
			rest, w.rest, w.end = w.rest, nil, false
			c.wire.Unready(s.wire)
			return rest, err
		}
		s.await(&w.waiter, 0)
	}
}

// hopeless reports whether nothing more can leave: the peer has ended its side and opens no windows any more. The lock is
// held.
func (s *Stream) hopeless() bool {
	c := s.conn
	return c.ended && (s.wire.SendWindow() <= 0 || c.wire.SendWindow() <= 0)
}

// appendRest appends DATA of what Send waits for, about most bytes of it or a turn. There are windows for some of it, or
// nobody waits any more. The lock is held.
func (s *Stream) appendRest(dst []byte, most int) []byte {
	c, w := s.conn, &s.writer
	p := w.rest[:min(len(w.rest), turn, most)]
	if n := len(dst); cap(dst)-n < len(p)+frameRoom {
		dst = bufpool.Grow(dst, n+most+frameRoom)[:n] // dst is leased
	}
	dst, n := c.wire.AppendData(dst, s.wire, p, w.end && len(p) == len(w.rest), c.Now())
	if w.rest = w.rest[n:]; len(w.rest) == 0 {
		w.rest, w.end = nil, false
		c.wire.Unready(s.wire)
		w.tell()
	} else if c.ended {
		w.tell() // it may have been the last that leaves
	}
	return dst
}

// Flush has what the stream has said leave as soon as the peer takes it, and does not wait for that: there is always
// something on its way on a busy connection. Who says more than the connection takes waits in Send. It fails if the stream
// cannot be written to any more.
func (s *Stream) Flush() error {
	s.conn.Draw()
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.writer.err
}
