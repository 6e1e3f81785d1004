package server

import (
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// finish ends the answer when the handler has returned. It returns nil if another request may follow, else what Data is
// to return.
func (w *ResponseWriter) finish() error {
	if w.phase == hijacked {
		return errTakenOver
	}
	if w.phase == silent {
		w.reportBody()
	}
	if w.phase < committed {
		w.finishWhole()
	} else {
		w.finishStream()
	}
	if w.err != nil {
		return netconn.ErrAbort
	}
	if w.plan.body == http1.ByLength && w.written != w.plan.length {
		// What there is leaves, then the connection ends: by its length the client sees that the rest is missing
		// (RFC 9112 §8).
		w.x.conn.srv.log.Debug("server: a body is not as long as its Content-Length",
			"written", w.written, "length", w.plan.length)
		w.closeAfter = true
	}
	return w.next()
}

// finishWhole sends an answer of which nothing has left yet, in one piece.
func (w *ResponseWriter) finishWhole() {
	known := w.written
	if known == 0 && w.x.req.method == isHead || w.hidesLength(known) {
		known = -1 // the handler did not write the body that nobody will see
	}
	w.commitWhole(known)
	if w.plan.body == http1.ByChunks {
		w.finishStream()
		return
	}
	w.write(w.head, w.buf)
}

// finishStream sends what is left of a body, and its end.
func (w *ResponseWriter) finishStream() {
	if w.plan.body != http1.ByChunks {
		w.write(w.head, nil)
		return
	}
	if len(w.buf) > 0 {
		w.head = http1.AppendChunkSize(w.head, len(w.buf))
		w.head = append(w.head, w.buf...)
		w.head = append(w.head, crlf...)
	}
	w.head = http1.AppendLastChunk(w.head, &w.trailer)
	w.write(w.head, nil)
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
	s := w.x.conn.srv
	s.refused.Add(1)
	s.log.Debug("server: request refused", "status", status, "err", err, "remote", w.x.req.RemoteAddr())
	w.CloseAfter()
	w.Error(status, why)
}

// next tells what becomes of the connection.
func (w *ResponseWriter) next() error {
	r := &w.x.req
	last := w.plan.close || w.closeAfter || w.leavesBody()
	if !last {
		r.settle() // the answer leaves before that waits
	}
	switch {
	case r.body.coming():
		return netconn.ErrDoneEarly
	case last, !r.body.Ended():
		return netconn.ErrDone
	}
	return nil
}
