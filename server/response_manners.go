package server

import (
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/ascii"
)

// What of an answer depends on the manners of its server.

// keeps tells whether the server has a habit.
func (w *ResponseWriter) keeps(one habits) bool { return w.x.conn.srv.manners.habits.has(one) }

// agree gives the status line at dst[start:] the version of the request, if the server answers in kind.
func (w *ResponseWriter) agree(dst []byte, start int) []byte {
	if w.x.req.head.Minor == 0 && w.keeps(answersInKind) {
		dst[start+len("HTTP/1.")] = '0'
	}
	return dst
}

// appendHeadInKind appends the head in the order of net/http's: the handler's fields stand before Date and the framing.
func (w *ResponseWriter) appendHeadInKind(dst []byte, contentType string, a asked) []byte {
	pre := w.x.conn.srv.preambles.at(w.x.c.Now())
	if w.status == 200 {
		dst = w.agree(append(dst, pre.ok[:pre.line]...), len(dst))
	} else {
		dst = w.agree(w.x.conn.srv.appendStatus(dst, w.status), len(dst))
	}
	dst = w.appendFields(dst, contentType != "", a)
	if !a.wishes.has(hasDate | hasServer) {
		dst = append(dst, pre.ok[pre.line:]...)
	} else {
		dst = w.appendDate(dst, pre, a)
	}
	dst = w.appendFraming(dst, contentType, a)
	return append(dst, "\r\n"...)
}

// appendCodings appends the transfer codings that the handler says it has applied; chunked comes behind them, once
// (RFC 9112 §6.1).
func (w *ResponseWriter) appendCodings(dst []byte) []byte {
	for i := range w.header.Len() {
		name, value := w.header.At(i)
		if kindOf(name) != transferEncoding {
			continue
		}
		for coding := range http1.Elements(value) {
			if ascii.All(coding, ascii.Token) && !ascii.EqualFold(coding, "chunked") && !ascii.EqualFold(coding, "identity") {
				dst, _ = http1.AppendField(dst, "Transfer-Encoding", view(coding))
			}
		}
	}
	return dst
}

// closesUnsaid tells whether the answer ends the connection without a word: a status line of HTTP/1.0 says it
// (RFC 9112 §9.3). A wish of the handler's is passed on.
func (w *ResponseWriter) closesUnsaid(a asked) bool {
	return w.x.req.head.Minor == 0 && w.keeps(answersInKind) && !a.wishes.has(wantsClose)
}

// leavesBody tells whether a body that a handler has left in full duplex ends the connection.
func (w *ResponseWriter) leavesBody() bool {
	body := &w.x.req.body
	return w.duplex && w.keeps(abandonsDuplex) && (!body.Ended() || body.Held() > 0)
}

// hidesLength tells whether an answer to HEAD has a length that GET would not tell: GET's would have been streamed.
func (w *ResponseWriter) hidesLength(known int64) bool {
	return w.x.req.method == isHead && known > int64(w.x.conn.srv.cfg.WriteBufferSize) && w.keeps(hidesLongLengths)
}
