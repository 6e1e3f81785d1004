package server

import (
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// SniffType makes the server detect the Content-Type from the first bytes of the body with http.DetectContentType, if
// Header has none when the response is committed. net/http always does this.
func (w *ResponseWriter) SniffType() { w.sniffer.waiting = w.phase <= begun }

// detectType detects the Content-Type, after SniffType, from the buffered bytes and p, which follows them. It is called
// just before the commit.
func (w *ResponseWriter) detectType(p []byte) {
	if w.sniffer.waiting {
		w.detectTypeSlow(p)
	}
}

func (w *ResponseWriter) detectTypeSlow(p []byte) {
	kept := len(w.buf)
	first := append(w.buf, w.sniffer.wants(kept, p)...)
	w.sniffer.waiting = false
	if !w.header.Has("Content-Type") && http1.AllowsBody(w.status, w.x.req.method == bodyplan.Connect) {
		w.sniffer.look(first)
	}
	w.buf = first[:kept]
	if w.x.req.method == bodyplan.Head {
		w.buf = w.buf[:0] // buffered only to detect the type
	}
}
