package nethttp

import (
	"bufio"
	"net"
	"net/http"
	"time"
)

// Flush sends what has been written.
func (w *response) Flush() { w.FlushError() }

// FlushError is Flush with its error.
func (w *response) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.begin("Flush", false); err != nil {
		return err
	}
	if w.holdBody() {
		defer w.x.body.mu.Unlock()
	}
	return w.nw.Flush()
}

// EnableFullDuplex lets the handler go on reading the body when it has begun to answer.
func (w *response) EnableFullDuplex() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.nw == nil {
		return w.cut("EnableFullDuplex", false)
	}
	w.nw.EnableFullDuplex()
	w.duplex = true
	return nil
}

// SetReadDeadline bounds reading the body; the zero time is none. It may be called while a Read waits.
func (w *response) SetReadDeadline(t time.Time) error { return w.x.ctx.setReadDeadline(t) }

// SetWriteDeadline bounds writing the answer; the zero time is none. It may be called while a Write waits.
func (w *response) SetWriteDeadline(t time.Time) error { return w.x.ctx.setWriteDeadline(t) }

// The context holds the native writer a second time, behind a lock that nobody holds for long: the response's own
// lock may be held by the very Write that a deadline is to end.

func (c *requestContext) setReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.nw == nil {
		return errReturned
	}
	return c.nw.SetReadDeadline(t)
}

func (c *requestContext) setWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.nw == nil {
		return errReturned
	}
	return c.nw.SetWriteDeadline(t)
}

// Hijack takes the connection over: it is the handler's from now on, with the bytes that were read ahead in rw's
// reader. A head that WriteHeader had settled is sent first.
func (w *response) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.nw == nil {
		return nil, nil, w.cut("Hijack", false)
	}
	body := w.x.body
	if body != nil {
		body.seize(w.nw)
		defer body.mu.Unlock()
	}
	nc, rw, err := w.nw.Hijack()
	if err != nil {
		return nil, nil, err
	}
	w.hijacked, w.nw = true, nil
	if body != nil {
		body.nr = nil
	}
	w.x.ctx.leave(false)
	return nc, rw, nil
}

// CloseNotify returns a channel that gets one value when the client goes away or the handler returns. It is here for
// old handlers: Request.Context says the same.
func (w *response) CloseNotify() <-chan bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	rare := w.rarely()
	if rare.closeNotice == nil {
		notice := make(chan bool, 1)
		w.x.ctx.AfterFunc(func() { notice <- true })
		rare.closeNotice = notice
	}
	return rare.closeNotice
}

var (
	_ http.Flusher       = (*response)(nil)
	_ http.Hijacker      = (*response)(nil)
	_ http.CloseNotifier = (*response)(nil) //lint:ignore SA1019 old handlers ask for it
)
