package server

import (
	"net/http"
	"unsafe"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
)

// WriteBody answers with b as the whole body, with its length: head and body leave as one. contentType, unless it is
// empty, replaces a Content-Type in Header. Nothing may have been written before, and nothing can be afterwards. b is
// not kept.
func (w *ResponseWriter) WriteBody(contentType string, b []byte) error {
	if w.phase == committed || w.written > 0 {
		return ErrCommitted
	}
	if err := w.admit(len(b)); err != nil {
		return err
	}
	w.commit(int64(len(b)), contentType)
	if w.plan.body == noBody {
		b = nil
	}
	return w.send(b)
}

// WriteText is WriteBody of a text in UTF-8.
func (w *ResponseWriter) WriteText(s string) error {
	return w.WriteBody("text/plain; charset=utf-8", unsafe.Slice(unsafe.StringData(s), len(s)))
}

// WriteJSON is WriteBody of a JSON text.
func (w *ResponseWriter) WriteJSON(b []byte) error { return w.WriteBody("application/json", b) }

// describing are the fields that say something of one particular body.
var bodyFields = [...]string{
	"Content-Length", "Content-Encoding", "Content-Type", "ETag", "Last-Modified", "Trailer", "Transfer-Encoding",
}

// Error answers with status code and msg as text/plain, in place of what was set and written so far: fields that
// describe another body are dropped. It fails with ErrCommitted when the head has left already.
func (w *ResponseWriter) Error(code int, msg string) error {
	if w.phase == committed {
		return ErrCommitted
	}
	w.SetStatus(code)
	w.buf, w.written, w.length, w.setLength = w.buf[:0], 0, -1, -1
	for _, name := range bodyFields {
		w.header.Del(name)
	}
	w.header.Set("X-Content-Type-Options", "nosniff")
	if !http1.AllowsBody(code, w.x.req.method == isConnect) {
		return w.WriteBody("", nil)
	}
	return w.WriteBody("text/plain; charset=utf-8", append([]byte(msg), '\n'))
}

// Redirect answers with status code, which is 3xx, and where to go, in place of what was set and written so far. target
// is sent as it is, so it must be a URI reference (RFC 9110 §10.2.2): escape what comes from elsewhere. It fails with
// ErrCommitted when the head has left already.
func (w *ResponseWriter) Redirect(code int, target string) error {
	if w.phase == committed {
		return ErrCommitted
	}
	w.header.Set("Location", target)
	return w.Error(code, http.StatusText(code))
}

// WriteInformational sends an informational answer before the final one: 100 (the client may send its body), 102, 103
// (early hints) and the like, but not 101. It leaves at once. A client of HTTP/1.0 knows none (RFC 9110 §15.2) and is
// sent nothing. h may be nil.
func (w *ResponseWriter) WriteInformational(code int, h *shockwave.Header) error {
	switch {
	case code < 100 || code > 199 || code == 101:
		return errNotInformational
	case w.phase == hijacked:
		return http.ErrHijacked
	case w.phase == committed:
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

// noFields is a list without any.
var noFields shockwave.Header

// informs reports whether the line called name may stand in an informational answer: RFC 9110 §8.6 and RFC 9112 §6.1 rule
// framing out.
func allowedInInformational(name []byte) bool {
	kind := kindOf(name)
	return kind != contentLength && kind != transferEncoding
}
