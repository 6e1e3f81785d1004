package server

import (
	"errors"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// wholeIn reports whether the message can be answered from in, the input buffer: its whole body is there, and the handler
// will have no reason to take the connection over.
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

// wantsContinue reports whether a client that expects 100 Continue is told so even if its body is here already.
func (m *h1Message) wantsContinue() bool {
	return m.head.Expect && m.srv.behaviour.quirks.has(alwaysSends100)
}

// answerWhole answers a message that lies whole in in and returns how much of in is taken then.
func (k *h1Conn) answerWhole(in []byte) (int, error) {
	m := k.message
	start := m.at.taken + m.at.head
	end := start + m.at.body
	m.setRequest()
	m.req.body.StartWhole(in[start:end])
	return end, k.answer(m)
}

// answerStreamed answers a message whose body is read from the connection while the handler runs. Reading moves the
// input buffer: so the head is copied first.
func (k *h1Conn) answerStreamed(c *netconn.Conn, in []byte) error {
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
	return k.answer(m)
}

// answer runs the handler and finishes its answer. It returns nil if another request may follow, else what Data is to
// return.
func (k *h1Conn) answer(m *h1Message) error {
	k.setWriteTimeout(m.Conn)
	switch err := k.call(m); err {
	case nil:
		return m.finish()
	case errGoexit: // and we are still here: it was no Goexit
		m.panicked(nil)
		return netconn.ErrAbort
	default:
		return err
	}
}

// bound sets the deadline of the answer. Usually there is none and none to take away.
func (k *h1Conn) setWriteTimeout(c *netconn.Conn) {
	if limit := k.srv.cfg.WriteTimeout; limit > 0 {
		c.SetWriteDeadline(time.Now().Add(limit))
	} else if k.writeDeadline.Load() {
		k.writeDeadline.Store(false)
		c.SetWriteDeadline(time.Time{})
	}
}

// call runs the handler. A message whose handler did not return is not used again: who knows what still holds on to
// it.
func (k *h1Conn) call(m *h1Message) (err error) {
	returned := false
	defer func() {
		if !returned {
			k.message = nil
			err = k.handlerFailed(m, recover())
		}
	}()
	m.serve()
	returned = true
	return nil
}

// errNoWord says that recover gave nil: the handler called runtime.Goexit, or panic(nil) as GODEBUG=panicnil=1 has it.
var errGoexit = errors.New("server: the handler did not return")

// fell says what becomes of a connection whose handler panicked with v. v is nil if it called runtime.Goexit: then the
// goroutine is ending, and netconn logs it and closes the connection, or leaves in order. What the handler wrote is not
// whole: the client gets to see a broken connection, never a short answer that looks like a good one.
func (k *h1Conn) handlerFailed(m *h1Message, v any) error {
	if v != nil && !isAbort(v) {
		m.panicked(v)
	}
	if m.res.phase == hijacked {
		return errTakenOver
	}
	m.Conn.Flush() // the answers to requests before this one are whole
	if v == nil {
		m.closeOnGoexit()
		return errGoexit
	}
	return netconn.ErrAbort
}

// leave is told that m's handler has perhaps called runtime.Goexit.
func (m *h1Message) closeOnGoexit() {
	if m.srv.behaviour.quirks.has(quietGoexit) {
		m.LeaveInOrder()
	}
}
