package websocket

import (
	"errors"
	"os"
	"sync"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// halfClosed is the state of a connection with Config.OnPeerClose after the peer's close frame:
//
//	open ──the peer's close frame──► deferred ──our close frame is queued──► answered
//
// Its methods may be called on nil, for a connection without OnPeerClose.
type halfClosed struct {
	onPeerClose func(c *Conn, e *CloseError)

	mu       sync.Mutex
	peer     *CloseError   // the peer's close frame, once OnPeerClose is to be called
	conn     *netconn.Conn // to be nudged when the answer is queued
	answered bool
}

// deferAnswer calls OnPeerClose if err is a close frame of the peer that the program is to answer. It reports whether it
// did.
func (p *served) deferAnswer(t *netconn.Conn, err error) bool {
	ce, ok := err.(*CloseError)
	if !ok || p.half == nil || !p.half.begin(t, ce, &p.c.send) {
		return false
	}
	if d := p.c.send.cfg.closeTimeout; d > 0 {
		p.c.send.after(d, func() { _ = p.c.Close(ce.Code, "") })
	}
	t.SetAlarm(0)
	p.c.recv.in.Release()
	p.half.onPeerClose(p.c, ce)
	return true
}

// begin notes the peer's close frame, unless the connection is being closed already.
func (h *halfClosed) begin(t *netconn.Conn, ce *CloseError, out *sender) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if out.closed() || out.reason() != nil || t.Draining() {
		return false
	}
	h.peer, h.conn = ce, t
	return true
}

// closeSent is called when our close frame is in the output queue. If it answers the peer's, the connection is done.
func (h *halfClosed) closeSent() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.peer != nil && !h.answered {
		h.answered = true
		h.conn.Nudge()
	}
}

// deferred reports whether the peer's close frame has been passed to OnPeerClose.
func (h *halfClosed) deferred() bool {
	if h == nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.peer != nil
}

// afterPeerClose returns the result of Data for anything that arrives after the peer's close frame.
func (p *served) afterPeerClose() error {
	p.half.mu.Lock()
	answered := p.half.answered
	p.half.mu.Unlock()
	switch {
	case p.c.send.cutOff():
		return netconn.ErrAbort
	case answered:
		return netconn.ErrDone
	}
	return nil
}

// endError returns the reason why the connection ended when the transport ended with err. After the peer's close frame
// this is the frame, unless the peer did not take everything that was sent.
func (h *halfClosed) endError(err error) error {
	if h == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.peer == nil {
		return err
	}
	return h.peer
}
