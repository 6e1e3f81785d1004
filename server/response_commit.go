package server

import (
	"github.com/shockwave-go/shockwave/internal/wire/fieldkind"
	"github.com/shockwave-go/shockwave/server/internal/behaviour"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// commit decides the plan of the response and makes the sink prepare its head. Nothing is sent yet. known is the length
// of the whole body, -1 if more may follow. A contentType that is not empty replaces the handler's.
func (w *ResponseWriter) commit(known int64, contentType string) { w.decide(known, contentType, false) }

// commitWhole is commit for a response that is complete and sent at once. The rest of the request's body can then be
// discarded afterwards.
func (w *ResponseWriter) commitWhole(known int64) { w.decide(known, "", true) }

func (w *ResponseWriter) decide(known int64, contentType string, whole bool) {
	w.detectType(nil)
	r, q := &w.x.req, &w.planInput
	q.Status, q.Method, q.Known, q.IsHTTP10 = w.status, r.method, known, r.major == 1 && r.minor == 0
	q.Options = w.headerOptions()
	w.plan = q.Decide()
	if q.Options.Length >= 0 {
		known = q.Options.Length
	}
	w.count.setLimit(known)
	next := w.x.sink.begin(w, contentType, whole)
	r.body.withdrawContinue()
	w.phase = next
	if len(w.buf) > 0 {
		w.dropExcess()
	}
}

// headerOptions returns the options that the handler's fields set.
func (w *ResponseWriter) headerOptions() bodyplan.Options {
	a := bodyplan.Options{Length: w.setLength}
	if w.header.Len() > 0 {
		a = bodyplan.ReadFields(&w.header, w.setLength)
		if a.Flags.Has(bodyplan.BadLength) {
			w.x.srv.log.Debug("server: a Content-Length was not sent", "value", string(w.header.Get("Content-Length")))
		}
		if !w.x.hasQuirk(behaviour.IdentityMeansClose) {
			a.Flags &^= bodyplan.WantsCloseDelimited
		}
	}
	if w.trailer.Len() > 0 {
		a.Flags |= bodyplan.WantsChunks
	}
	return a
}

// asks reports whether the handler's fields ask for any of some. It is known from the commit on.
func (w *ResponseWriter) asks(some bodyplan.Flags) bool { return w.planInput.Options.Flags.Has(some) }

// dropExcess discards buffered bytes that the plan does not allow, because the handler has changed the status or length
// after it wrote them. They must not be sent: the client would take them for the next response. w.count still counts
// the bytes beyond a Content-Length, so that finish aborts the connection.
func (w *ResponseWriter) dropExcess() {
	kept := len(w.buf)
	switch {
	case w.plan.Body == bodyplan.NoBody:
		w.count.written -= int64(kept)
		w.buf = w.buf[:0]
	case w.plan.Body == bodyplan.OfLength && int64(kept) > w.plan.Length:
		w.buf = w.buf[:w.plan.Length]
	}
	if lost := kept - len(w.buf); lost > 0 {
		w.x.srv.log.Debug("server: body bytes were not sent", "bytes", lost, "status", w.status)
	}
}

// sends reports whether a line of the handler's with a field of this kind is sent as it is. typed reports that another
// Content-Type replaces the handler's.
func (w *ResponseWriter) sends(kind fieldkind.Kind, value []byte, typed bool) bool {
	switch kind {
	case fieldkind.ContentLength, fieldkind.TransferEncoding:
		return false // set by the plan
	case fieldkind.ContentType:
		return !typed
	case fieldkind.Date:
		return len(value) > 0
	}
	return true
}

// declaredLength returns the length that the handler has set so far, -1 if there is no valid one.
func (w *ResponseWriter) declaredLength() int64 {
	if w.setLength >= 0 {
		return w.setLength
	}
	l := fieldkind.NoLength
	for i := range w.header.Len() {
		if name, value := w.header.At(i); fieldkind.Of(name) == fieldkind.ContentLength {
			l = fieldkind.And(l, value)
		}
	}
	return l.Bytes()
}
