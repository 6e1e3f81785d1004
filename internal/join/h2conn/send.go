package h2conn

import (
	"io"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// sending is the sending half of a stream. The connection's lock guards it.
type sending struct {
	waiter
	unsent    []byte // what send has left to send; the caller's memory
	last      bool   // our message ends with unsent
	wantsRoom bool   // the goroutine is blocked in awaitRoom
}

// directLimit is how many bytes send may put into the connection's own buffer. Beyond that the bytes stay with their
// stream, and leave when the peer takes them.
const directLimit = 16 << 10

// headLimit is how many bytes the connection's buffer may hold before awaitRoom blocks. Header sections cannot stay with
// their streams, because they must be sent in the order in which they were encoded. Without the limit a peer that reads
// nothing could make the buffer grow without end.
const headLimit = 64 << 10

// frameRoom is room for the header of a frame and the connection's own pending frames.
const frameRoom = 1 << 10

// quantum is how many bytes one stream sends before it is the next stream's turn.
const quantum = 16 << 10

// stop makes writes fail with err, also one that is blocked.
func (w *sending) stop(err error) {
	if w.err == nil {
		w.err = err
	}
	w.unsent, w.last = nil, false
	w.signal()
}

// check returns an error if nothing can be sent on the stream.
func (w *sending) check(c *session, s *http2.Stream) error {
	switch {
	case w.err != nil:
		return w.err
	case w.interrupted != nil:
		return w.interrupted
	case finished(s):
		return ErrClosed
	case w.passed(c):
		return netconn.ErrSlow
	}
	return nil
}

// finished reports whether our message has ended: nothing follows END_STREAM (RFC 9113 §5.1).
func finished(s *http2.Stream) bool {
	state := s.State()
	return state == http2.StateHalfClosedLocal || state == http2.StateClosed
}

// blockedForever reports whether nothing more can be sent: a window is empty, and the peer has closed its sending side,
// so that it cannot open one.
func blockedForever(c *session, s *http2.Stream) bool {
	return c.ended && (s.SendWindow() <= 0 || c.wire.SendWindow() <= 0)
}

// direct sends as much of p as has room in the connection's own buffer, and returns the rest. all reports that nothing is
// left to send, nor the end.
func (w *sending) direct(c *session, s *http2.Stream, p []byte, end bool) (rest []byte, all bool) {
	if len(c.out)+len(p) > directLimit && len(p) > 0 {
		return p, false
	}
	var n int // an end alone needs no window (RFC 9113 §6.9.1) and waits for no turn
	c.out, n = c.wire.AppendData(c.out, s, p, end, c.Now())
	c.outputReadyLocked(end && n == len(p))
	return p[n:], n == len(p)
}

// queue leaves p with the stream, which gets its turn when the peer takes more.
func (w *sending) queue(c *session, s *http2.Stream, p []byte, end bool) {
	w.unsent, w.last = p, end
	c.wire.Ready(s, c.Now())
}

// sent reports whether nothing is queued any more.
func (w *sending) sent() bool { return len(w.unsent) == 0 && !w.last }

// unqueue takes back what is queued.
func (w *sending) unqueue(c *session, s *http2.Stream) (rest []byte) {
	rest, w.unsent, w.last = w.unsent, nil, false
	c.wire.Unready(s)
	return rest
}

// stuck returns why what is queued cannot be sent, nil if it can.
func (w *sending) stuck(c *session, s *http2.Stream) error {
	err := w.check(c, s) // the deadline has passed, or the stream was interrupted
	if err == nil && blockedForever(c, s) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// appendQueued appends DATA of what is queued: at most most bytes, and at most a quantum. The stream must have a window, or
// nothing queued.
func (w *sending) appendQueued(dst []byte, c *session, s *http2.Stream, most int) []byte {
	p := w.unsent[:min(len(w.unsent), quantum, most)]
	if n := len(dst); cap(dst)-n < len(p)+frameRoom {
		dst = bufpool.Grow(dst, n+most+frameRoom)[:n] // dst is from bufpool
	}
	dst, n := c.wire.AppendData(dst, s, p, w.last && len(p) == len(w.unsent), c.Now())
	if w.unsent = w.unsent[n:]; len(w.unsent) == 0 {
		w.unsent, w.last = nil, false
		c.wire.Unready(s)
		w.signal()
	} else if c.ended {
		w.signal() // it may be stuck: the windows may be empty now
	}
	return dst
}

// roomMade wakes the goroutine that waits for room, if there is one.
func (w *sending) roomMade() {
	if w.wantsRoom {
		w.wantsRoom = false
		w.signal()
	}
}
