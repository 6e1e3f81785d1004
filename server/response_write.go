package server

import (
	"cmp"
	"net/http"
	"unsafe"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// Write appends p to the body and returns how many bytes of it. It returns http.ErrBodyNotAllowed if the status allows no
// body (204, 205, 304), http.ErrHijacked after Hijack, and the error of the connection if it has failed. If p goes
// beyond the Content-Length that was set, Write appends what is within it and returns http.ErrContentLength, as every
// later write does. In response to HEAD it counts p and sends nothing.
func (w *ResponseWriter) Write(p []byte) (int, error) {
	if err := w.admit(len(p)); err != nil {
		if err == http.ErrContentLength {
			return w.writeWithin(p)
		}
		return 0, err
	}
	if w.x.req.method == bodyplan.Head {
		w.buf = append(w.buf, w.sniffer.wants(len(w.buf), p)...) // its type is sent, though the body is not
		return len(p), nil
	}
	if w.phase != streaming && w.room(len(p)) {
		w.buf = append(w.buf, p...)
		return len(p), nil
	}
	if w.phase <= begun {
		w.detectType(p)
		w.commit(-1, "")
	}
	if err := w.send(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// WriteString is Write for a string.
func (w *ResponseWriter) WriteString(s string) (int, error) {
	// Write neither changes nor keeps its argument.
	return w.Write(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// writeWithin writes what the Content-Length allows of p, which goes beyond it. Nothing may follow.
func (w *ResponseWriter) writeWithin(p []byte) (n int, err error) {
	if left := w.count.left(); left > 0 {
		n, err = w.Write(p[:left])
	}
	w.count.limit = overrun
	return n, cmp.Or(err, http.ErrContentLength)
}

// admit is called at the start of every write. It returns an error if n more bytes of body are not allowed, and counts
// them otherwise.
func (w *ResponseWriter) admit(n int) error {
	switch {
	case w.err != nil:
		return w.err
	case w.phase == hijacked:
		return http.ErrHijacked
	case w.phase == unanswered:
		w.phase = begun
	}
	if n == 0 {
		return nil
	}
	if !http1.AllowsBody(w.status, w.x.req.method == bodyplan.Connect) {
		return http.ErrBodyNotAllowed
	}
	if w.phase == begun && (w.count.written == 0 || !w.room(n)) {
		w.count.setLimit(w.declaredLength()) // the last chance if these bytes cause the commit
	}
	return w.count.add(n)
}

// room reports whether n more bytes fit into the buffer.
func (w *ResponseWriter) room(n int) bool { return len(w.buf)+n <= w.x.srv.cfg.WriteBufferSize }

// send makes the sink send the head if it has not been sent, the buffered bytes, and p.
func (w *ResponseWriter) send(p []byte) error {
	if w.err == nil {
		w.setErr(w.x.sink.send(w, p))
		w.buf = w.buf[:0]
	}
	return w.err
}

// Flush commits the response if it is not committed, and sends all that was written. On HTTP/1 it returns when the
// output has been sent. On HTTP/2 it returns without waiting for a client that takes nothing at the moment.
func (w *ResponseWriter) Flush() error {
	if err := w.sendWritten(); err != nil {
		return err
	}
	w.setErr(w.x.sink.flush())
	return w.err
}

// Push is Flush for one of many small parts of a response. It commits the response too, and what was written leaves soon,
// also if the handler writes nothing more; but on HTTP/2 what several streams push within a moment may leave in one write,
// and Push does not cause that write itself. On HTTP/1 and HTTP/3 it is Flush.
func (w *ResponseWriter) Push() error {
	if err := w.sendWritten(); err != nil {
		return err
	}
	w.setErr(w.x.sink.push())
	return w.err
}

// sendWritten commits the response if it is not committed, and hands all that was written to the sink.
func (w *ResponseWriter) sendWritten() error {
	if err := w.admit(0); err != nil {
		return err
	}
	if w.phase <= begun {
		w.commit(-1, "")
	}
	return w.send(nil)
}

// setErr keeps err, the error of a write, if it is not nil. A client that cannot be written to has gone.
func (w *ResponseWriter) setErr(err error) {
	if err != nil {
		w.err = w.x.link.WireError("write", err)
		w.x.link.NoteGone()
	}
}
