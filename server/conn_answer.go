package server

import (
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// answer runs the handler and finishes its answer. It returns nil if another request may follow, else what Data is to return.
func (k *conn) answer(x *exchange) error {
	x.req.method = methodOf(x.req.head.Method)
	k.served++
	k.count.Add(1)
	k.bound(x)
	if err := k.call(x); err != nil {
		return err
	}
	return x.res.finish()
}

// bound sets the deadline of the answer. Usually there is none and none to take away.
func (k *conn) bound(x *exchange) {
	if limit := k.srv.cfg.WriteTimeout; limit > 0 {
		x.c.SetWriteDeadline(time.Now().Add(limit))
	} else if k.deadline.Load() {
		k.deadline.Store(false)
		x.c.SetWriteDeadline(time.Time{})
	}
}

// call runs the handler. An exchange whose handler did not return is not used again: who knows what still holds on to it.
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

// fell says what becomes of a connection whose handler panicked with v. v is nil if it called runtime.Goexit: then the goroutine is
// ending, and netconn logs it and closes the connection. What the handler wrote is not whole: the client gets to see
// a broken connection, never a short answer that looks like a good one.
func (k *conn) fell(x *exchange, v any) error {
	if v != nil && !quiet(v) {
		k.srv.panics.Add(1)
		k.srv.log.Error("server: handler panicked", "panic", v, "remote", x.req.RemoteAddr(), "stack", string(debug.Stack()))
	}
	if x.res.phase == hijacked {
		return errTakenOver
	}
	return netconn.ErrAbort
}

// quiet tells whether a panic is a handler's way to end the connection.
func quiet(v any) bool {
	err, ok := v.(error)
	return ok && (errors.Is(err, ErrAbort) || errors.Is(err, http.ErrAbortHandler))
}
