package server

import (
	"cmp"
	"net/http"
	"unsafe"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// WriteBody sends b as the whole body with its Content-Length, in one piece with the head. A contentType that is not
// empty replaces a Content-Type in Header. No body bytes may be written before or after. If a Content-Length was set and
// b is longer, what is within it is sent, and the error is http.ErrContentLength. b is not kept.
func (w *ResponseWriter) WriteBody(contentType string, b []byte) error {
	if w.phase.headSent() || w.count.written > 0 {
		return ErrCommitted
	}
	err := w.admit(len(b))
	if left := w.count.left(); err == http.ErrContentLength && left >= 0 {
		w.count = bodyCount{limit: overrun, written: left}
		b = b[:left]
	} else if err != nil {
		return err
	}
	if contentType == "" {
		w.detectType(b)
	}
	w.commit(int64(len(b)), contentType)
	if w.plan.Body == bodyplan.NoBody {
		b = nil
	}
	return cmp.Or(w.send(b), err)
}

// WriteText is WriteBody for UTF-8 text.
func (w *ResponseWriter) WriteText(s string) error {
	return w.WriteBody("text/plain; charset=utf-8", unsafe.Slice(unsafe.StringData(s), len(s)))
}

// WriteJSON is WriteBody for JSON text.
func (w *ResponseWriter) WriteJSON(b []byte) error { return w.WriteBody("application/json", b) }

// bodyFields are the fields that describe one particular body.
var bodyFields = [...]string{
	"Content-Length", "Content-Encoding", "Content-Type", "ETag", "Last-Modified", "Trailer", "Transfer-Encoding",
}

// Error responds with status code and msg as text/plain. It replaces the status and body set so far, and removes trailer
// fields and fields that describe another body. It returns ErrCommitted if the head has been sent.
func (w *ResponseWriter) Error(code int, msg string) error {
	if w.phase.headSent() {
		return ErrCommitted
	}
	w.SetStatus(code)
	w.buf, w.count, w.setLength = w.buf[:0], bodyCount{limit: noLimit}, -1
	for _, name := range bodyFields {
		w.header.Del(name)
	}
	w.trailer.Reset()
	w.header.Set("X-Content-Type-Options", "nosniff")
	if !http1.AllowsBody(code, w.x.req.method == bodyplan.Connect) {
		return w.WriteBody("", nil)
	}
	return w.WriteBody("text/plain; charset=utf-8", append([]byte(msg), '\n'))
}

// Redirect responds with status code, which is 3xx, and a Location. It replaces the status and body set so far. target
// is sent unchanged and must be a URI reference (RFC 9110 §10.2.2): escape text that comes from elsewhere. Redirect
// returns ErrCommitted if the head has been sent.
func (w *ResponseWriter) Redirect(code int, target string) error {
	if w.phase.headSent() {
		return ErrCommitted
	}
	w.header.Set("Location", target)
	return w.Error(code, http.StatusText(code))
}

// WriteInformational sends an informational response at once, before the final one: 100 (the client may send its body),
// 102, 103 (early hints) and so on, but not 101. An HTTP/1.0 client is sent nothing, because HTTP/1.0 has no such
// responses (RFC 9110 §15.2). h may be nil.
func (w *ResponseWriter) WriteInformational(code int, h *shockwave.Header) error {
	switch {
	case code < 100 || code > 199 || code == 101:
		return errNotInformational
	case w.phase == hijacked:
		return http.ErrHijacked
	case w.phase.headSent():
		return ErrCommitted
	case w.err != nil:
		return w.err
	}
	if code == 100 {
		w.x.req.body.expect.CompareAndSwap(expected, continued)
	}
	if h == nil {
		h = &noFields
	}
	w.setErr(w.x.sink.inform(code, h))
	return w.err
}

// noFields is an empty list of fields.
var noFields shockwave.Header
