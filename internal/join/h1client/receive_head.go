package h1client

import (
	"io"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

// maxInterim is how many interim responses a server may send before the final one.
const maxInterim = 16

// Await waits for the response's next head. That is either an interim response (RFC 9110 §15.2), after which Await must be
// called again, or the final one, whose status is 101 or at least 200. h is reset and parsed with Config.Limits; its
// fields are parts of head, which the caller owns. It is buf, or, if buf is too small, another buffer from package bufpool, to
// which buf has been given. If the whole response has arrived there is room for its body behind head.
//
// Await returns a *http1.Error if the response is malformed, httpread.ErrInterim after too many interim responses, io.EOF
// if the connection ended before the first byte, io.ErrUnexpectedEOF if it ended later (RFC 9112 §8), netconn.ErrSlow if
// the time that was set with Expire has passed, the error of Cancel, or an error of the connection. Only the reading
// goroutine may call it.
//
// onWait, unless nil, is called before Await waits for the server, perhaps more than once. A busy process often has the
// response by the time it has served other goroutines; then there is no wait that would have to be ended by Cancel.
func (r *Receiver) Await(h *http1.Response, buf []byte, onWait func()) (head []byte, err error) {
	h.Reset()
	h.Limits = r.cfg.Limits
	for {
		if err := r.turn.cancelErr(); err != nil {
			return nil, err
		}
		if in := r.turn.p.Unread(); len(in) > 0 {
			r.heard = true
			n, err := h.Parse(in, r.method)
			switch {
			case err != nil:
				return nil, err
			case n > 0:
				return r.takeHead(h, in[:n], buf)
			}
		}
		if _, err := r.turn.p.FillOnWait(onWait); err != nil {
			return nil, r.headErr(r.readErr(err))
		}
	}
}

// headErr returns the error for a connection that has failed with err before a whole head had arrived.
func (r *Receiver) headErr(err error) error {
	if err == io.EOF && r.heard {
		return io.ErrUnexpectedEOF
	}
	return err
}

// takeHead takes the head h, whose bytes are in, from the connection.
func (r *Receiver) takeHead(h *http1.Response, in, buf []byte) (head []byte, err error) {
	r.turn.p.Take(len(in))
	size, final := len(in), h.Status >= 200 || h.Status == 101
	if final {
		r.startBody(h)
		if body, ok := r.arrived(); ok {
			size += body + 1
		}
	}
	head = append(bufpool.Grow(buf, size)[:0], in...)
	h.Rebase(head)
	if final {
		return head, nil
	}
	r.interim.heads++
	r.interim.bytes += len(in)
	if r.interim.heads > maxInterim || r.interim.bytes > headBytes(&r.cfg.Limits) {
		return nil, httpread.ErrInterim
	}
	if h.Status == 100 {
		r.turn.mu.Lock()
		r.turn.bodyWanted = true
		r.turn.proceed.EndLocked()
		r.turn.mu.Unlock()
	}
	return head, nil
}

// Refused returns the beginning of a head that Await has refused. It is valid until Leave. Only the reading goroutine may
// call it.
func (r *Receiver) Refused() []byte { return r.turn.p.Unread() }

// ResetInterim starts the count of interim responses anew. It is called when one has been passed to a caller that can end
// the exchange. Only the reading goroutine may call it.
func (r *Receiver) ResetInterim() { r.interim = interim{} }

// startBody prepares for the body behind the final head.
func (r *Receiver) startBody(h *http1.Response) {
	r.body.Reset(-1)
	r.body.Start(h.Framing, r.cfg.Limits)
	r.length, r.untilClose, r.bodyRead = r.body.Left(), h.Framing.Delimiter == http1.ByClose, false
	tunnel := h.Status == 101 || r.method == "CONNECT" && h.Status < 300
	r.turn.mu.Lock()
	r.turn.gotFinalLocked(!h.KeepAlive || tunnel) // no response follows it (RFC 9110 §15.2.2, §9.3.6)
	r.turn.mu.Unlock()
}

// headBytes returns how many bytes l allows a head to have.
func headBytes(l *http1.Limits) int {
	switch {
	case l.HeadBytes == 0:
		return 64 << 10
	case l.HeadBytes < 0:
		return 1<<31 - 1
	}
	return l.HeadBytes
}

// Expire makes Await fail with netconn.ErrSlow if the final head does not arrive within d; 0 means no bound. It has no
// effect after the final head. Any goroutine that uses the exchange may call it.
func (r *Receiver) Expire(d time.Duration) {
	r.turn.mu.Lock()
	if !r.turn.gotFinal && r.turn.users > 0 {
		r.turn.setDeadlineLocked(d)
	}
	r.turn.mu.Unlock()
}
