package server

import (
	"errors"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/server/internal/behaviour"
)

// wholeIn reports whether the message can be served from in, the input buffer: its whole body is there, and the
// handler has no reason to take the connection over. It sets m.at.body.
func (m *h1Message) wholeIn(in []byte) bool {
	h, at := &m.head, &m.at
	if h.Upgrade || string(h.Method) == "CONNECT" || h.BadExpect || m.wantsContinue() {
		return false
	}
	switch h.Framing.Delimiter {
	case http1.NoBody:
		return true
	case http1.ByLength:
		if left := len(in) - at.taken - at.head; h.Framing.Length <= int64(left) {
			at.body = int(h.Framing.Length)
			return true
		}
	}
	return false
}

// wantsContinue reports whether 100 Continue must be sent even if the body has already arrived.
func (m *h1Message) wantsContinue() bool {
	return m.head.Expect && m.srv.behaviour.Quirks.Has(behaviour.AlwaysSends100)
}

// prepareWhole prepares a message that lies whole in in for its handler. It returns how many bytes of in have been used by
// then.
func (m *h1Message) prepareWhole(in []byte) int {
	start := m.at.taken + m.at.head
	end := start + m.at.body
	m.setRequest()
	m.req.body.StartWhole(in[start:end:end])
	return end
}

// prepareStreamed prepares a message whose body is read from the connection while the handler runs. The head is copied,
// because reading overwrites the input buffer. An error means that there is nothing to handle, and is what Data must return.
func (k *h1Conn) prepareStreamed(c *netconn.Conn, in []byte) error {
	m := k.message
	at := m.at
	m.at = span{}
	m.copied = append(m.copied[:0], in[at.taken:at.taken+at.head]...)
	m.head.Reset()
	if _, err := m.head.Parse(m.copied); err != nil {
		return k.refuse(c, err)
	}
	c.Take(at.taken + at.head)
	if m.head.BadExpect {
		return k.refuse(c, errExpectation)
	}
	if m.wantsH2() && k.upgradeToH2(c, m) {
		return errBecame
	}
	c.BeginMessage()
	m.setRequest()
	m.startStream()
	return nil
}

// answer runs the handler and completes its response. It returns nil if another request may follow, otherwise the error
// that Data must return. A message whose handler did not return is not used again, because something may still refer to
// it.
func (k *h1Conn) answer(m *h1Message) (err error) {
	k.setWriteTimeout(m.Conn)
	returned := false
	defer func() {
		if !returned {
			k.message = nil
			err = k.handlerFailed(m, recover())
		}
	}()
	m.serve()
	returned = true
	return m.finish()
}

// setWriteTimeout sets the deadline for the response. Usually there is none, and no earlier one to remove.
func (k *h1Conn) setWriteTimeout(c *netconn.Conn) {
	if limit := k.srv.cfg.WriteTimeout; limit > 0 {
		c.LimitWrites(limit)
	} else if k.writeDeadline.Load() {
		k.writeDeadline.Store(false)
		c.SetWriteDeadline(time.Time{})
	}
}

// dropWriteTimeout removes the deadline of an earlier response: the streams of HTTP/2 have deadlines of their own.
func (k *h1Conn) dropWriteTimeout(c *netconn.Conn) {
	if k.srv.cfg.WriteTimeout > 0 || k.writeDeadline.Load() {
		k.writeDeadline.Store(false)
		c.SetWriteDeadline(time.Time{})
	}
}

// errGoexit means that recover returned nil: the handler called runtime.Goexit, or panic(nil) with GODEBUG=panicnil=1.
var errGoexit = errors.New("server: the handler did not return")

// handlerFailed handles a handler that panicked with v. It returns the error that Data must return. v is nil if the
// handler called runtime.Goexit; then the goroutine ends, and netconn logs that and closes the connection, or closes it
// in order. The connection is aborted because the response is incomplete: the client must not take it for a complete
// short one.
func (k *h1Conn) handlerFailed(m *h1Message, v any) error {
	if v != nil && !isAbort(v) {
		m.panicked(v)
	}
	if m.res.phase == hijacked {
		return errTakenOver
	}
	m.Conn.Flush() // the responses to earlier requests are complete
	if v == nil {
		m.closeOnGoexit()
		return errGoexit
	}
	return netconn.ErrAbort
}

// closeOnGoexit is called when the handler may have called runtime.Goexit. It makes netconn close the connection in
// order, if the server has quietGoexit.
func (m *h1Message) closeOnGoexit() {
	if m.srv.behaviour.Quirks.Has(behaviour.QuietGoexit) {
		m.LeaveInOrder()
	}
}
