package server

import (
	"github.com/shockwave-go/shockwave/server/internal/behaviour"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// finish completes the response after the handler has returned. It returns errTakenOver if the connection was hijacked,
// or the error of the connection.
func (w *ResponseWriter) finish() error {
	if w.phase == hijacked {
		return errTakenOver
	}
	if w.phase == unanswered {
		w.reportBody()
	}
	if w.phase <= begun {
		known := w.count.written
		if known == 0 && w.x.req.method == bodyplan.Head || w.hidesLength(known) {
			known = -1 // the handler did not write the body, which HEAD would not send
		}
		w.commitWhole(known)
	}
	// The bytes written are sent, then the message ends. The client sees by the Content-Length that the rest is missing
	// (RFC 9110 §8.6).
	broken := w.plan.Body == bodyplan.OfLength && w.count.written != w.plan.Length
	if w.err == nil {
		w.setErr(w.x.sink.end(w, broken))
	}
	if broken && w.err == nil {
		w.x.srv.log.Debug("server: body and Content-Length differ", "written", w.count.written, "length", w.plan.Length)
	}
	return w.err
}

// reportBody responds with an error status if the request's body could not be read and the handler wrote no response.
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
	w.closeAfter = w.x.req.major == 1 // it is unknown where the next message begins
	w.Error(status, why)
}

// hidesLength reports whether the response to HEAD must have no Content-Length, because the response to GET would be
// streamed without one.
func (w *ResponseWriter) hidesLength(known int64) bool {
	return w.x.req.method == bodyplan.Head && known > int64(w.x.srv.cfg.WriteBufferSize) && w.x.hasQuirk(behaviour.OmitsStreamedLength)
}
