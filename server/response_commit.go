package server

// commit decides the plan of the response and makes the sink prepare its head. Nothing is sent yet. known is the length
// of the whole body, -1 if more may follow. A contentType that is not empty replaces the handler's.
func (w *ResponseWriter) commit(known int64, contentType string) { w.decide(known, contentType, false) }

// commitWhole is commit for a response that is complete and sent at once. The rest of the request's body can then be
// discarded afterwards.
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
	if len(w.buf) > 0 {
		w.dropExcess()
	}
}

// headerOptions returns what the handler's fields ask for.
func (w *ResponseWriter) headerOptions() headerOptions {
	a := headerOptions{length: w.setLength}
	if w.header.Len() > 0 {
		a = readFields(&w.header, w.setLength)
		if a.flags.has(badLength) {
			w.x.srv.log.Debug("server: a Content-Length was left out", "value", string(w.header.Get("Content-Length")))
		}
		if !w.hasQuirk(identityMeansClose) {
			a.flags &^= wantsCloseDelimited
		}
	}
	if w.trailer.Len() > 0 {
		a.flags |= wantsChunks
	}
	return a
}

// asks reports whether the handler's fields ask for any of some. It is known from the commit on.
func (w *ResponseWriter) asks(some headerFlags) bool { return w.planInput.options.flags.has(some) }

// dropExcess discards buffered bytes that the plan does not allow, because the handler has changed the status or length
// after it wrote them. They must not be sent: the client would take them for the next response. w.written still counts
// the bytes beyond a Content-Length, so that finish aborts the connection.
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

// hasQuirk reports whether the server has the quirk one.
func (w *ResponseWriter) hasQuirk(one quirks) bool { return w.x.srv.behaviour.quirks.has(one) }

// sends reports whether a line of the handler's with a field of this kind is sent as it is. typed reports that another
// Content-Type replaces the handler's.
func (w *ResponseWriter) sends(kind fieldKind, value []byte, typed bool) bool {
	switch kind {
	case contentLength, transferEncoding:
		return false // set by the plan
	case contentType:
		return !typed
	case dateField:
		return len(value) > 0
	}
	return true
}
