package server

import (
	"time"

	"github.com/shockwave-go/shockwave"
)

// ResponseWriter builds the answer. A body of no more than Config.WriteBufferSize leaves with a Content-Length in one
// piece with its head when the handler returns; a larger one is streamed: with the Content-Length that the handler set,
// else chunked (to HTTP/1.0: until the connection closes; HTTP/2 needs neither).
//
// What is given to its methods is copied or sent before they return. Its methods are for one goroutine at a time; it is
// of no use after the handler has returned.
type ResponseWriter struct {
	x         *exchange
	phase     phase
	status    int
	header    shockwave.Header
	trailer   shockwave.Header
	planInput planInput // what the plan depends on, from the commit on
	plan      plan      // from the commit on
	length    int64     // Content-Length that the handler has set, -1 if none
	setLength int64     // SetContentLength's, -1 if it was not called
	written   int64     // body bytes given to Write
	buf       []byte    // body bytes kept back
	err       error     // of the connection: what every later write says

	streams    bool // each write is passed on: nothing is kept back, from the commit on
	closeAfter bool
	duplex     bool
	sniffs     bool   // SniffType was called, and the type is not known yet
	overran    bool   // a write went beyond the Content-Length
	sniffed    string // the type that was found
}

// phase is how far an answer has come.
//
//	silent ─► answered ─► committed       any but finished ─► hijacked
type phase uint8

const (
	unanswered phase = iota // the handler has set no status and written nothing
	begun                   // it has; all of it is still here
	committed               // the head has been handed to the connection
	hijacked                // the connection is the handler's
)

// reset makes w ready for the next answer.
func (w *ResponseWriter) reset() {
	w.phase, w.status, w.length, w.written, w.err = unanswered, 200, -1, 0, nil
	w.setLength = -1
	w.plan = plan{}
	w.header.Reset()
	w.trailer.Reset()
	w.buf = w.buf[:0]
	w.streams, w.closeAfter, w.duplex, w.sniffs, w.overran, w.sniffed = false, false, false, false, false, ""
}

// SetStatus sets the status code, 200 at first. code is 200 to 999, or 101 by a handler that will call Hijack next; it
// panics for any other, which is a fault in the program. After the commit it does nothing. With a status that allows no
// body what was written before is thrown away.
func (w *ResponseWriter) SetStatus(code int) {
	if (code < 200 && code != 101) || code > 999 {
		panic("server: SetStatus of a code that is not 200 to 999, or 101")
	}
	if w.phase < committed {
		w.status, w.phase = code, begun
	}
}

// Status returns the status code.
func (w *ResponseWriter) Status() int { return w.status }

// Header returns the fields of the final answer, to be filled until Committed. What the server understands itself:
// Content-Length (it is held against what is written), Transfer-Encoding "chunked" (asks for chunks), Connection
// "close", Trailer (asks for chunks where they are possible), Date (replaces ours; an empty value sends none), Server
// (replaces Config.ServerName). A line whose name or value must not be on the wire (RFC 9110 §5.5) is left out, with a
// debug line in the log.
func (w *ResponseWriter) Header() *shockwave.Header { return &w.header }

// SetContentLength says how long the whole body will be, in bytes, as a Content-Length in Header would, which it goes
// before; -1 takes it back. After the commit it does nothing.
func (w *ResponseWriter) SetContentLength(n int64) { w.setLength = max(n, -1) }

// Trailer returns the trailer fields, to be filled until the handler returns. They are sent after a chunked body only:
// declare them with a Trailer field, which makes the body chunked, or call Flush.
func (w *ResponseWriter) Trailer() *shockwave.Header { return &w.trailer }

// Committed reports whether the head has been handed to the connection: status and fields can no longer be changed.
func (w *ResponseWriter) Committed() bool { return w.phase >= committed }

// CloseAfter ends the connection after this answer, which will say "Connection: close" if it is not committed. A
// connection of HTTP/2 takes no further requests, and ends after those that are in hand (RFC 9113 §6.8). A request whose
// body could not be read, or was not, needs no CloseAfter: the server ends the connection where nothing can follow.
func (w *ResponseWriter) CloseAfter() { w.closeAfter = true }

// EnableFullDuplex allows to go on reading the request's body after the answer has begun, also from another goroutine
// than the one that writes. Without it, what is left of a body is read and thrown away, or given up, before the first
// bytes of a streamed answer leave, unless the connection ends with it: many clients do not read before they have sent
// everything, and both sides would wait for ever.
//
// The body may then be half of a conversation, so Config.MinReadRate does not count for it.
func (w *ResponseWriter) EnableFullDuplex() {
	w.duplex = true
	w.x.link.AllowPauses()
}

// SetReadDeadline bounds the reads of this request's body, instead of Config.ReadTimeout. The zero time is no bound.
// Any goroutine may call it while the handler runs.
func (w *ResponseWriter) SetReadDeadline(t time.Time) error {
	return w.x.link.SetReadDeadline(t)
}

// SetWriteDeadline bounds the writes of this answer, instead of Config.WriteTimeout. The zero time is no bound. Any
// goroutine may call it while the handler runs.
func (w *ResponseWriter) SetWriteDeadline(t time.Time) error {
	return w.x.link.SetWriteDeadline(t)
}
