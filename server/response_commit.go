package server

// commit decides how the answer goes out and has the sink make its head; nothing is sent yet. known is the length of the
// whole body, -1 if more may follow. contentType, unless it is empty, replaces what the handler has set.
func (w *ResponseWriter) commit(known int64, contentType string) { w.decide(known, contentType, false) }

// commitWhole is commit for an answer that leaves at once and whole: the request's body can be seen to afterwards.
func (w *ResponseWriter) commitWhole(known int64) { w.decide(known, "", true) }

func (w *ResponseWriter) decide(known int64, contentType string, whole bool) {
	w.detectType(nil)
	r, q := &w.x.req, &w.planInput
	q.status, q.method, q.known, q.isHTTP10 = w.status, r.method, known, r.major == 1 && r.minor == 0
	q.options = w.headerOptions()
	w.plan = q.decide()
	w.length = known
	if q.options.length >= 0 {
		w.length = q.options.length
	}
	w.x.sink.begin(w, contentType, whole)
	r.body.withdrawContinue()
	w.phase = committed
	w.dropExcess()
}

// asked finds out what the handler asks for.
func (w *ResponseWriter) headerOptions() headerOptions {
	a := headerOptions{length: w.setLength}
	if w.header.Len() > 0 {
		a = readFields(&w.header, w.setLength)
	}
	if a.flags.has(badLength) {
		w.x.srv.log.Debug("server: a Content-Length was left out", "value", string(w.header.Get("Content-Length")))
	}
	if !w.hasQuirk(identityMeansClose) {
		a.flags &^= wantsCloseDelimited
	}
	if w.trailer.Len() > 0 {
		a.flags |= wantsChunks
	}
	return a
}

// fit holds the bytes kept back against the plan, which a handler may have changed since it wrote them. What may not
// stand behind this head must not leave: the client would take it for the next answer. A body that was longer than its
// length stays counted, so that finish breaks the connection.
func (w *ResponseWriter) dropExcess() {
	kept := len(w.buf)
	switch {
	case w.plan.body == noBody:
		w.written -= int64(kept)
		w.buf = w.buf[:0]
	case w.plan.body == ofLength && int64(kept) > w.plan.length:
		w.buf = w.buf[:w.plan.length]
	}
	if lost := kept - len(w.buf); lost > 0 {
		w.x.srv.log.Debug("server: bytes of a body were left out", "bytes", lost, "status", w.status)
	}
}

// keeps reports whether the server has a habit.
func (w *ResponseWriter) hasQuirk(one quirks) bool { return w.x.srv.behaviour.quirks.has(one) }

// sends reports whether a line of the handler's, which is not framing, goes out as it is.
func (w *ResponseWriter) sends(kind fieldKind, value []byte, typed bool) bool {
	switch kind {
	case contentLength, transferEncoding:
		return false // the plan has spoken
	case contentType:
		return !typed
	case dateField:
		return len(value) > 0
	}
	return true
}
