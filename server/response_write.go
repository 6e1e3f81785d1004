package server

import (
	"net/http"
	"unsafe"

	"github.com/shockwave-go/shockwave/http1"
)

// Write appends p to the body. It fails with http.ErrBodyNotAllowed where the status allows no body (204, 205, 304),
// http.ErrContentLength beyond the Content-Length that was set, and from then on, since a later write would follow a
// gap, http.ErrHijacked, or what the connection says; then nothing of p is sent. To HEAD it counts p and sends nothing.
func (w *ResponseWriter) Write(p []byte) (int, error) {
	if err := w.admit(len(p)); err != nil {
		return 0, err
	}
	if w.x.req.method == isHead {
		w.bufferForType(p)
		return len(p), nil
	}
	if !w.streams && w.room(len(p)) {
		w.buf = append(w.buf, p...)
		return len(p), nil
	}
	if w.phase < committed {
		w.detectType(p)
		w.commit(-1, "")
	}
	if err := w.send(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// WriteString is Write of a string.
func (w *ResponseWriter) WriteString(s string) (int, error) {
	// Write neither changes nor keeps what it is given.
	return w.Write(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// admit is the start of every write: it reports whether n bytes of body may follow, and counts them.
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
	if !http1.AllowsBody(w.status, w.x.req.method == isConnect) {
		return http.ErrBodyNotAllowed
	}
	if w.phase == begun && (w.written == 0 || !w.room(n)) {
		w.length = w.declaredLength() // the last look, if these bytes bring the commit
	}
	if w.overran = w.overran || w.length >= 0 && w.written+int64(n) > w.length; w.overran {
		return http.ErrContentLength
	}
	w.written += int64(n)
	return nil
}

// room reports whether n more bytes can be kept back.
func (w *ResponseWriter) room(n int) bool { return len(w.buf)+n <= w.x.srv.cfg.WriteBufferSize }

// pass has the sink send the head if it has not left, the bytes kept back, and p.
func (w *ResponseWriter) send(p []byte) error {
	if w.err == nil {
		w.setErr(w.x.sink.send(w, p))
		w.buf = w.buf[:0]
	}
	return w.err
}

// Flush commits the answer, if it is not, and returns when all that was written has left.
func (w *ResponseWriter) Flush() error {
	if err := w.admit(0); err != nil {
		return err
	}
	if w.phase < committed {
		w.commit(-1, "")
	}
	if w.send(nil) == nil {
		w.setErr(w.x.sink.flush())
	}
	return w.err
}

// failed notes what writing has failed with, if it has.
func (w *ResponseWriter) setErr(err error) {
	if err != nil {
		w.err = w.x.connError("write", err)
	}
}
