package server

import (
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/defaults"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// wholeIn tells whether the message can be answered from in, the input buffer: its whole body is there, and the handler
// will have no reason to take the connection over.
func (x *exchange) wholeIn(in []byte) bool {
	h, m := &x.req.head, &x.message
	if h.Upgrade || string(h.Method) == "CONNECT" || h.BadExpect || x.wantsContinue() {
		return false
	}
	switch h.Framing.Delimiter {
	case http1.NoBody:
		return true
	case http1.ByLength:
		if left := len(in) - m.taken - m.head; h.Framing.Length <= int64(left) {
			m.body = int(h.Framing.Length)
			return true
		}
	}
	return false
}

// wantsContinue tells whether a client that expects 100 Continue is told so even if its body is here already.
func (x *exchange) wantsContinue() bool {
	return x.req.head.Expect && x.conn.srv.manners.habits.has(alwaysContinues)
}

// answerWhole answers a message that lies whole in in and returns how much of in is taken then.
func (k *conn) answerWhole(in []byte) (int, error) {
	m := k.ex.message
	start := m.taken + m.head
	end := start + m.body
	k.ex.req.body.StartWhole(in[start:end])
	return end, k.answer(k.ex)
}

// answerStreamed answers a message whose body is read from the connection while the handler runs. Reading moves the
// input buffer: so the head is copied first.
func (k *conn) answerStreamed(c *netconn.Conn, in []byte) error {
	x, m := k.ex, k.ex.message
	x.message = span{}
	x.head = append(x.head[:0], in[m.taken:m.taken+m.head]...)
	x.req.head.Reset()
	if _, err := x.req.head.Parse(x.head); err != nil {
		return k.refuse(c, err)
	}
	c.Take(m.taken + m.head)
	if x.req.head.BadExpect {
		return k.refuse(c, errExpectation)
	}
	c.BeginMessage()
	x.req.startStream()
	return k.answer(x)
}

// answer runs the handler and finishes its answer. It returns nil if another request may follow, else what Data is to
// return.
func (k *conn) answer(x *exchange) error {
	x.req.method = methodOf(x.req.head.Method)
	k.bound(x.c)
	switch err := k.call(x); err {
	case nil:
		return x.res.finish()
	case errNoWord: // and we are still here: it was no Goexit
		k.panicked(x, nil)
		return netconn.ErrAbort
	default:
		return err
	}
}

// bound sets the deadline of the answer. Usually there is none and none to take away.
func (k *conn) bound(c *netconn.Conn) {
	if limit := k.srv.cfg.WriteTimeout; limit > 0 {
		c.SetWriteDeadline(time.Now().Add(limit))
	} else if k.writeDeadline.Load() {
		k.writeDeadline.Store(false)
		c.SetWriteDeadline(time.Time{})
	}
}

// call runs the handler. An exchange whose handler did not return is not used again: who knows what still holds on to
// it.
func (k *conn) call(x *exchange) (err error) {
	returned := false
	defer func() {
		if !returned {
			k.ex = nil
			err = k.fell(x, recover())
		}
	}()
	k.srv.cfg.Handler.ServeHTTP(&x.res, &x.req)
	returned = true
	return nil
}

// errNoWord says that recover gave nil: the handler called runtime.Goexit, or panic(nil) as GODEBUG=panicnil=1 has it.
var errNoWord = errors.New("server: the handler did not return")

// fell says what becomes of a connection whose handler panicked with v. v is nil if it called runtime.Goexit: then the
// goroutine is ending, and netconn logs it and closes the connection, or leaves in order. What the handler wrote is not
// whole: the client gets to see a broken connection, never a short answer that looks like a good one.
func (k *conn) fell(x *exchange, v any) error {
	if v != nil && !quiet(v) {
		k.panicked(x, v)
	}
	if x.res.phase == hijacked {
		return errTakenOver
	}
	x.c.Flush() // the answers to requests before this one are whole
	if v == nil {
		k.leave(x)
		return errNoWord
	}
	return netconn.ErrAbort
}

// panicked counts and logs a panic.
func (k *conn) panicked(x *exchange, v any) {
	k.srv.panics.Add(1)
	k.srv.log.Error("server: handler panicked", "panic", v, "remote", x.req.RemoteAddr(),
		defaults.StackKey, string(debug.Stack()))
}

// leave is told that x's handler has perhaps called runtime.Goexit.
func (k *conn) leave(x *exchange) {
	if k.srv.manners.habits.has(leavesInOrder) {
		x.c.LeaveInOrder()
	}
}

// quiet tells whether a panic is a handler's way to end the connection.
func quiet(v any) bool {
	err, ok := v.(error)
	return ok && (errors.Is(err, ErrAbort) || errors.Is(err, http.ErrAbortHandler))
}
