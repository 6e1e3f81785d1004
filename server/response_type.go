package server

import (
	"net/http"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// sniffLength is how many bytes http.DetectContentType considers.
const sniffLength = 512

// SniffType makes the server detect the Content-Type from the first bytes of the body with http.DetectContentType, if
// Header has none when the response is committed. net/http always does this.
func (w *ResponseWriter) SniffType() { w.sniffs = w.phase < committed }

// detectType detects the Content-Type, after SniffType, from the buffered bytes and p, which follows them. It is called
// just before the commit.
func (w *ResponseWriter) detectType(p []byte) {
	if w.sniffs {
		w.sniffFirst(p)
	}
}

// sniffFirst detects the Content-Type from the first of the buffered bytes and p. Without any bytes it detects none.
func (w *ResponseWriter) sniffFirst(p []byte) {
	w.sniffs = false
	kept := len(w.buf)
	first := append(w.buf, p[:min(len(p), max(0, sniffLength-kept))]...)
	if len(first) > 0 && !w.header.Has("Content-Type") && http1.AllowsBody(w.status, w.x.req.method == bodyplan.Connect) {
		w.sniffed = http.DetectContentType(first)
	}
	w.buf = first[:kept]
	if w.x.req.method == bodyplan.Head {
		w.buf = w.buf[:0] // buffered only to detect the type
	}
}

// bufferForType buffers the bytes of p that detectType needs. It is used for HEAD, whose body is not sent.
func (w *ResponseWriter) bufferForType(p []byte) {
	if w.sniffs && len(w.buf) < sniffLength {
		w.buf = append(w.buf, p[:min(len(p), sniffLength-len(w.buf))]...)
	}
}
