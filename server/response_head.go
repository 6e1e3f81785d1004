package server

import (
	"strconv"
	"unsafe"

	"github.com/shockwave-go/shockwave/http1"
)

// commit decides how the answer goes out and builds its head in w.head; nothing is sent yet. known is the length of the
// whole body, -1 if more may follow. contentType, unless it is empty, replaces what the handler has set.
func (w *ResponseWriter) commit(known int64, contentType string) { w.decide(known, contentType, false) }

// commitWhole is commit for an answer that leaves at once and whole: the request's body can be seen to afterwards.
func (w *ResponseWriter) commitWhole(known int64) { w.decide(known, "", true) }

func (w *ResponseWriter) decide(known int64, contentType string, whole bool) {
	r := &w.x.req
	w.settleType(nil)
	a := asked{length: w.told}
	if w.header.Len() > 0 {
		a = readFields(&w.header, w.told)
	}
	if a.wishes.has(badLength) {
		w.x.conn.srv.log.Debug("server: a Content-Length was left out", "value", string(w.header.Get("Content-Length")))
	}
	if !w.keeps(endsByIdentity) {
		a.wishes &^= wantsEnd
	}
	if w.trailer.Len() > 0 {
		a.wishes |= wantsChunks
	}
	q := question{
		status: w.status, minor: r.head.Minor, method: r.method,
		known: known, asked: a, close: !w.reusable(),
	}
	w.plan = q.decide()
	if !w.plan.close && !w.duplex { // else the body need not end: another request will not follow, or not yet
		w.plan.close = !r.prepare(whole)
	}
	r.body.withdraw()
	w.length = known
	if a.length >= 0 {
		w.length = a.length
	}
	w.phase = committed
	w.fit()
	w.head = w.appendHead(w.head[:0], contentType, a)
}

// fit holds the bytes kept back against the plan, which a handler may have changed since it wrote them. What may not
// stand behind this head must not leave: the client would take it for the next answer. A body that was longer than its
// length stays counted, so that finish breaks the connection.
func (w *ResponseWriter) fit() {
	kept := len(w.buf)
	switch {
	case w.plan.body == http1.NoBody:
		w.written -= int64(kept)
		w.buf = w.buf[:0]
	case w.plan.body == http1.ByLength && int64(kept) > w.plan.length:
		w.buf = w.buf[:w.plan.length]
	}
	if lost := kept - len(w.buf); lost > 0 {
		w.x.conn.srv.log.Debug("server: bytes of a body were left out", "bytes", lost, "status", w.status)
	}
}

// reusable tells whether another request may follow on the connection when this one's body has ended, as far as is known
// when the answer begins.
func (w *ResponseWriter) reusable() bool {
	r, k := &w.x.req, w.x.conn
	cfg := &k.srv.cfg
	switch {
	case !r.head.KeepAlive, w.closeAfter, cfg.DisableKeepAlive, r.Draining():
		return false
	case cfg.MaxKeepAliveRequests > 0 && k.served >= int64(cfg.MaxKeepAliveRequests):
		return false
	}
	return true
}

// appendHead appends the head that w.plan asks for. Date goes first, so that a recipient knows soon what it has got
// (RFC 9110 §5.3).
func (w *ResponseWriter) appendHead(dst []byte, contentType string, a asked) []byte {
	if w.keeps(fieldsFirst) {
		return w.appendHeadInKind(dst, contentType, a)
	}
	dst = w.appendPreamble(dst, a)
	dst = w.appendFraming(dst, contentType, a)
	dst = w.appendFields(dst, contentType != "", a)
	return append(dst, "\r\n"...)
}

// appendFraming appends the fields that the server says itself, the preamble's aside.
func (w *ResponseWriter) appendFraming(dst []byte, contentType string, a asked) []byte {
	switch {
	case w.plan.length >= 0:
		dst = append(dst, "Content-Length: "...)
		dst = strconv.AppendInt(dst, w.plan.length, 10)
		dst = append(dst, "\r\n"...)
	case w.plan.body == http1.ByChunks:
		if a.wishes.has(hasCodings) && w.keeps(tellsCodings) {
			dst = w.appendCodings(dst)
		}
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
	}
	if w.sniffed != "" && contentType == "" {
		dst = append(dst, "Content-Type: "...)
		dst = append(dst, w.sniffed...)
		dst = append(dst, "\r\n"...)
	}
	switch {
	case w.plan.tunnel:
	case w.plan.close && w.closesUnsaid(a):
	case w.plan.close:
		dst = append(dst, "Connection: close\r\n"...)
	case w.x.req.head.Minor == 0:
		// RFC 9112 §9.3: a client of HTTP/1.0 that asked for it must be told.
		dst = append(dst, "Connection: keep-alive\r\n"...)
	}
	if contentType != "" {
		dst, _ = http1.AppendField(dst, "Content-Type", contentType)
	}
	return dst
}

// appendPreamble appends the status line, Date and Server.
func (w *ResponseWriter) appendPreamble(dst []byte, a asked) []byte {
	x := w.x
	pre := x.conn.srv.preambles.at(x.c.Now())
	if w.status == 200 && !a.wishes.has(hasDate|hasServer) {
		return w.agree(append(dst, pre.ok...), len(dst))
	}
	dst = w.agree(x.conn.srv.appendStatus(dst, w.status), len(dst))
	return w.appendDate(dst, pre, a)
}

// appendDate appends Date and Server, unless the handler has its own.
func (w *ResponseWriter) appendDate(dst []byte, pre *preamble, a asked) []byte {
	if !a.wishes.has(hasDate) {
		dst = append(dst, pre.date...)
	}
	if !a.wishes.has(hasServer) {
		dst = append(dst, pre.server...)
	}
	return dst
}

// appendStatus appends a status line.
func (s *Server) appendStatus(dst []byte, code int) []byte {
	return http1.AppendStatusLine(dst, code, s.manners.reason(code))
}

// appendFields appends the handler's lines: all at once if none needs a look.
func (w *ResponseWriter) appendFields(dst []byte, typed bool, a asked) []byte {
	if !a.wishes.has(isSpecial) && !typed {
		if all, ok := http1.AppendHeader(dst, &w.header); ok {
			return all
		}
	}
	for i := range w.header.Len() {
		name, value := w.header.At(i)
		if !w.sends(name, value, typed) {
			continue
		}
		var ok bool
		if dst, ok = http1.AppendField(dst, view(name), view(value)); !ok {
			w.x.conn.srv.log.Debug("server: a field of an answer was left out", "name", string(name), "value", string(value))
		}
	}
	return dst
}

// sends tells whether a line of the handler's goes out as it is.
func (w *ResponseWriter) sends(name, value []byte, typed bool) bool {
	switch kindOf(name) {
	case contentLength, transferEncoding:
		return false // the plan has spoken
	case contentType:
		return !typed
	case connectionField:
		_, others := connectionOptions(value)
		return others
	case trailerField:
		return w.plan.body == http1.ByChunks || w.keeps(alwaysAnnounces)
	case dateField:
		return len(value) > 0
	}
	return true
}

// view is b as a string without a copy: for a callee that keeps nothing.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
