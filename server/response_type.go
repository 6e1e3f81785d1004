package server

import (
	"net/http"

	"github.com/shockwave-go/shockwave/http1"
)

// sniffLength is as much of a body as http.DetectContentType looks at.
const sniffLength = 512

// SniffType has the Content-Type found out by the first bytes of the body, with http.DetectContentType, when the answer
// is committed and Header has none. It is what net/http does unasked.
func (w *ResponseWriter) SniffType() { w.sniffs = w.phase < committed }

// settleType finds the Content-Type out by the bytes kept back and those that follow, p. Without any there is no type.
// The answer is committed next.
func (w *ResponseWriter) detectType(p []byte) {
	if !w.sniffs {
		return
	}
	w.sniffs = false
	kept := len(w.buf)
	first := append(w.buf, p[:min(len(p), max(0, sniffLength-kept))]...)
	if len(first) > 0 && !w.header.Has("Content-Type") && http1.AllowsBody(w.status, w.x.req.method == isConnect) {
		w.sniffed = http.DetectContentType(first)
	}
	w.buf = first[:kept]
	if w.x.req.method == isHead {
		w.buf = w.buf[:0] // they were kept for this alone
	}
}

// keepForType keeps what the type needs of the body of an answer to HEAD, which is not sent.
func (w *ResponseWriter) bufferForType(p []byte) {
	if w.sniffs && len(w.buf) < sniffLength {
		w.buf = append(w.buf, p[:min(len(p), sniffLength-len(w.buf))]...)
	}
}
