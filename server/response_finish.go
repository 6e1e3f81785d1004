package server

// finish ends the answer when the handler has returned. It fails with errTakenOver, or with what writing fails with.
func (w *ResponseWriter) finish() error {
	if w.phase == hijacked {
		return errTakenOver
	}
	if w.phase == unanswered {
		w.reportBody()
	}
	if w.phase < committed {
		known := w.written
		if known == 0 && w.x.req.method == isHead || w.hidesLength(known) {
			known = -1 // the handler did not write the body that nobody will see
		}
		w.commitWhole(known)
	}
	// What there is leaves, then the message ends: by its length the client sees that the rest is missing (RFC 9110 §8.6).
	broken := w.plan.body == ofLength && w.written != w.plan.length
	if w.err == nil {
		w.setErr(w.x.sink.end(w, broken))
	}
	if broken && w.err == nil {
		w.x.srv.log.Debug("server: a body is not as long as its Content-Length", "written", w.written, "length", w.plan.length)
	}
	return w.err
}

// reportBody answers in place of a handler that said nothing when the request's body could not be read.
func (w *ResponseWriter) reportBody() {
	err := w.x.req.failure()
	if err == nil {
		return
	}
	status, why := bodyFailure(err)
	if status == 0 {
		w.err = err
		return
	}
	s := w.x.srv
	s.refused.Add(1)
	s.log.Debug("server: request refused", "status", status, "err", err, "remote", w.x.req.RemoteAddr())
	w.closeAfter = w.x.req.major == 1 // where the next message would begin is not known
	w.Error(status, why)
}

// hidesLength reports whether an answer to HEAD has a length that GET would not tell: GET's would have been streamed.
func (w *ResponseWriter) hidesLength(known int64) bool {
	return w.x.req.method == isHead && known > int64(w.x.srv.cfg.WriteBufferSize) && w.hasQuirk(omitsStreamedLength)
}
