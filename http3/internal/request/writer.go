package request

import (
	"sync"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/http3/internal/section"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// directly is the length from which content is not copied after its frame's header, and pieceSize how many bytes of it a client must
// take in the time that the minimum rate allows for them. atOnce is how many bytes of a message are passed to QUIC without waiting until
// they are sent: QUIC copies them, as many as the peer's flow control allows, which does not show how many it reads.
const (
	directly  = 2 << 10
	pieceSize = 16 << 10
	atOnce    = 16 << 10
)

// keptBuffer is the largest buffer that a stream keeps for its next use.
const keptBuffer = 16 << 10

// writer is the sending half of a stream. mu guards the fields after it.
type writer struct {
	c    *Conn
	qs   quicconn.Stream
	half half

	mu     sync.Mutex
	state  sending
	out    []byte
	quick  int  // bytes that were given to QUIC without waiting; at least atOnce: no more are
	inside bool // what was given to QUIC ends inside a frame: nothing but the rest of that may follow
	fields section.Encoder
	stalls bool // the client may take nothing for any time
}

// sending says how much of a response has been sent.
type sending uint8

const (
	interim sending = iota // the final head was not sent
	begun                  // it was
	ended                  // our side has ended, or was reset
)

// begin prepares w for a stream.
func (w *writer) begin(c *Conn, s quicconn.Stream) { w.c, w.qs = c, s }

// reset prepares w for begin.
func (w *writer) reset() {
	w.half.reset()
	if cap(w.out) > keptBuffer {
		w.out = nil
	}
	w.c, w.qs, w.out, w.quick, w.inside, w.state, w.stalls = nil, quicconn.Stream{}, w.out[:0], 0, false, interim, false
}

// send is carrier.Writer's Send.
func (w *writer) send(head carrier.Section, a, b []byte, trailer carrier.Section, end bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state == ended {
		return w.endedError()
	}
	if w.inside || w.half.hasPassed(w.c.Clock) {
		return netconn.ErrSlow
	}
	out := w.out[:0]
	if head != nil {
		out = w.fields.Append(out, head)
		if err := w.checkSize(); err != nil {
			return err
		}
		w.state = begun
	}
	if n := len(a) + len(b); n > 0 {
		out = append(h3frame.AppendHeader(out, h3frame.Data, uint64(n)), a...)
	}
	if len(b) < directly {
		out, b = append(out, b...), nil
	}
	if len(b) > 0 {
		if err := w.writeLocked(out); err != nil {
			return err
		}
		w.inside = true
		if err := w.writeLocked(b); err != nil {
			return err
		}
		out = out[:0]
	}
	if trailer != nil {
		out = w.fields.Append(out, trailer)
		if err := w.checkSize(); err != nil {
			return err
		}
	}
	w.out = out[:0]
	if err := w.writeLocked(out); err != nil {
		return err
	}
	if end {
		w.state = ended
		w.qs.End()
	}
	return nil
}

// endedError returns the reason why nothing can be sent.
func (w *writer) endedError() error {
	if w.qs.Unwanted() {
		return w.c.ResetBy(h3frame.RequestCancelled)
	}
	return errEnded
}

var errEnded = &h3frame.Error{Code: h3frame.InternalError, Violation: shockwave.Violation{Who: shockwave.Local, Rule: "RFC 9114 §4.1", Msg: "the stream has ended"}}

// checkSize checks that the client accepts the section that w.fields has just encoded, if its settings have arrived.
func (w *writer) checkSize() error {
	size, most := w.fields.Size, w.c.MaxSection.Load()
	if size <= most {
		return nil
	}
	err := &section.TooLargeError{What: "response fields", Peer: "client", Size: size, Most: most}
	w.c.Settings.Log.Debug("http3: not sent", "err", err, "remote", w.c.QC.RemoteAddr())
	return err
}

// writeLocked gives p, which ends with a frame, or with the header of the frame that the next p is the rest of, to QUIC. It waits while
// the client takes too little.
func (w *writer) writeLocked(p []byte) error {
	if len(p) == 0 {
		return nil
	}
	if w.quick += len(p); w.quick <= atOnce {
		if done, err := w.qs.WriteAll(p); done || err != nil {
			w.inside = false
			return w.failedLocked(err)
		}
	}
	w.quick = atOnce
	set, c := w.c.Settings, w.c.Clock
	rate := set.MinWriteRate
	if w.stalls {
		rate = 0
	}
	for len(p) > 0 {
		piece := min(len(p), pieceSize)
		taking := pace{bytes: int64(piece)}
		began, err := w.half.begin(c, w.c.Holder, taking.left(rate, slowWriter*set.RateGrace))
		if err != nil {
			return err
		}
		n, err := w.qs.Write(p)
		if p = p[n:]; n > 0 {
			w.inside = len(p) > 0
		}
		_, why := w.half.end(c, began)
		switch {
		case err == nil:
		case !quicconn.WasInterrupted(err):
			return w.failedLocked(err)
		case why != nil && (why != netconn.ErrSlow || n < piece || w.half.hasPassed(c)):
			w.qs.WriteAgain()
			w.c.noteSlow(why)
			return why
		default:
			w.qs.WriteAgain() // the client takes enough, or a deadline was set anew
		}
	}
	return nil
}

// slowWriter is how many times RateGrace a client may take nothing at the beginning, as over TCP.
const slowWriter = 3

// failedLocked returns the error of a write that has failed with err.
func (w *writer) failedLocked(err error) error {
	if err == nil {
		return nil
	}
	w.state = ended
	return w.c.translate(err)
}

// Inform implements carrier.Writer.
func (w *writer) Inform(s carrier.Section, _ bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state != interim {
		return nil
	}
	if w.inside || w.half.hasPassed(w.c.Clock) {
		return netconn.ErrSlow
	}
	w.out = w.fields.Append(w.out[:0], s)
	if w.checkSize() != nil {
		return nil // the final response does without
	}
	return w.writeLocked(w.out)
}

// Flush implements carrier.Writer. Nothing is queued here.
func (w *writer) Flush() error { return nil }

// finish ends the response, unless it has ended. One that was given up inside a frame is reset: a stream that ends there is an error of
// the connection (RFC 9114 §7.1).
func (w *writer) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state == ended {
		return
	}
	w.state = ended
	if w.inside {
		w.qs.Reset(h3frame.RequestCancelled)
	} else {
		w.qs.End()
	}
}

// cut records that the stream was reset.
func (w *writer) cut() {
	w.mu.Lock()
	w.state = ended
	w.mu.Unlock()
}

// allowStalls allows the client to take nothing for any length of time.
func (w *writer) allowStalls() {
	w.mu.Lock()
	w.stalls = true
	w.mu.Unlock()
}
