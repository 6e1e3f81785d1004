package nethttp

import (
	"bufio"
	"net"
	"net/http"
	"time"
)

// Flush sends what has been written.
func (w *response) Flush() { w.FlushError() }

// FlushError is like Flush, and returns the error.
func (w *response) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.ensureHeadLocked("Flush", false); err != nil {
		return err
	}
	if w.lockBodyLocked() {
		defer w.x.body.mu.Unlock()
	}
	return w.nw.Flush()
}

// EnableFullDuplex lets the handler go on reading the body after the response has begun.
func (w *response) EnableFullDuplex() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.nw == nil {
		return w.lateCallError("EnableFullDuplex", false)
	}
	w.nw.EnableFullDuplex()
	w.fullDuplex = true
	return nil
}

// SetReadDeadline sets the deadline for reading the body; the zero time means none. It may be called during a Read.
func (w *response) SetReadDeadline(t time.Time) error { return w.x.ctx.setReadDeadline(t) }

// SetWriteDeadline sets the deadline for writing the response; the zero time means none. It may be called during a
// Write.
func (w *response) SetWriteDeadline(t time.Time) error { return w.x.ctx.setWriteDeadline(t) }

// Deadlines are set through the context, which has the native writer as well, behind a lock that is held only for
// moments: the response's own lock may be held by the very Write that the deadline is to end.

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

// h1Response is the http.ResponseWriter of a request of HTTP/1. That of HTTP/2 is a response, which is no http.Hijacker:
// many handlers ask for one to find out whether they can have the connection.
type h1Response struct{ response }

// Hijack lets the handler take over the connection. Bytes that were read ahead are in the reader of rw. If
// WriteHeader has been called, its head is sent first.
func (w *h1Response) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.HijackTunnel() }

// HijackTunnel is Hijack for whoever knows that it is to have a stream: package webtransport takes the stream of a CONNECT over
// with it. A response of HTTP/2 or HTTP/3 has it too, although it is no http.Hijacker.
func (w *response) HijackTunnel() (net.Conn, *bufio.ReadWriter, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.nw == nil {
		return nil, nil, w.lateCallError("Hijack", false)
	}
	body := w.x.body
	if body != nil {
		body.lockInterrupting(w.nw)
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
	w.x.ctx.detach(false)
	return nc, rw, nil
}

// CloseNotify returns a channel that receives one value when the client goes away or the handler returns. It exists
// for old handlers: the context of the request reports the same.
func (w *response) CloseNotify() <-chan bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	rare := w.extrasLocked()
	if rare.closeNotice == nil {
		notice := make(chan bool, 1)
		w.x.ctx.AfterFunc(func() { notice <- true })
		rare.closeNotice = notice
	}
	return rare.closeNotice
}

var (
	_ http.Flusher       = (*response)(nil)
	_ http.Hijacker      = (*h1Response)(nil)
	_ http.CloseNotifier = (*response)(nil) //lint:ignore SA1019 old handlers ask for it
)
