package server

import (
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// ResponseWriter builds the response. A body of at most Config.WriteBufferSize bytes is sent together with its head,
// with a Content-Length, when the handler returns. A larger body is streamed: with the Content-Length that the handler
// has set, otherwise chunked. To HTTP/1.0 a body of unknown length is ended by closing the connection; HTTP/2 needs
// neither.
//
// The methods copy or send their arguments before they return. They must be called by one goroutine at a time, and not
// after the handler has returned.
type ResponseWriter struct {
	x         *exchange
	phase     phase
	status    int
	header    shockwave.Header
	trailer   shockwave.Header
	planInput bodyplan.Input // what the plan was decided from; set at the commit
	plan      bodyplan.Plan  // set at the commit
	count     bodyCount
	setLength int64  // set by SetContentLength, -1 if it was not called
	buf       []byte // body bytes that have not been sent
	err       error  // error of the connection, which every later write returns
	sniffer   typeSniffer

	closeAfter bool // the connection takes no more requests
	duplex     bool // the request's body may be read after the commit
}

// reset prepares w for the next response.
func (w *ResponseWriter) reset() {
	w.phase, w.status, w.count, w.err = unanswered, 200, bodyCount{limit: noLimit}, nil
	w.setLength = -1
	w.plan = bodyplan.Plan{}
	w.header.Reset()
	w.trailer.Reset()
	w.buf = w.buf[:0]
	w.sniffer, w.closeAfter, w.duplex = typeSniffer{}, false, false
}

// SetStatus sets the status code, which is 200 at first. code must be 200 to 999, or 101 if the handler calls Hijack
// next; SetStatus panics for any other code. After the commit it does nothing. If the status allows no body, body bytes
// written before are discarded.
func (w *ResponseWriter) SetStatus(code int) {
	if (code < 200 && code != 101) || code > 999 {
		panic("server: SetStatus of a code that is not 200 to 999, or 101")
	}
	if w.phase <= begun {
		w.status, w.phase = code, begun
	}
}

// Status returns the status code.
func (w *ResponseWriter) Status() int { return w.status }

// Header returns the header fields of the final response. They may be changed until Committed. Some fields have a
// meaning for the server: Content-Length (written bytes are checked against it), Transfer-Encoding "chunked" (asks for
// chunks), Connection "close", Trailer (asks for chunks where they are possible), Date (replaces the server's; an empty
// value sends none), and Server (replaces Config.ServerName). A line whose name or value is not allowed on the wire
// (RFC 9110 §5.5) is left out and logged at level debug.
func (w *ResponseWriter) Header() *shockwave.Header { return &w.header }

// SetContentLength sets the length of the whole body in bytes. It takes precedence over a Content-Length in Header; -1
// removes it again. After the commit it does nothing.
func (w *ResponseWriter) SetContentLength(n int64) { w.setLength = max(n, -1) }

// Trailer returns the trailer fields. They may be changed until the handler returns. On HTTP/1 they are sent only after
// a chunked body: declare them with a Trailer field, which makes the body chunked, or call Flush. On HTTP/2 a body that
// was sent up to its Content-Length has ended the response, unless a Trailer field has declared them.
func (w *ResponseWriter) Trailer() *shockwave.Header { return &w.trailer }

// Committed reports whether the head has been handed to the connection, so that status and fields can no longer be
// changed.
func (w *ResponseWriter) Committed() bool { return w.phase > begun }

// CloseAfter closes the connection after this response, which says "Connection: close" if it is not committed yet. An
// HTTP/2 connection accepts no further requests and is closed when those in progress have their responses (RFC 9113
// §6.8). CloseAfter is not needed after a request whose body was not read or could not be read: the server closes the
// connection if no other request can follow.
func (w *ResponseWriter) CloseAfter() { w.closeAfter = true }

// EnableFullDuplex allows the handler to read the request's body after the response has begun, also on another
// goroutine than the one that writes. Without it, the unread rest of the body is discarded, or given up, before the
// first bytes of a streamed response are sent, unless the connection is closed after it. Many clients read nothing
// before they have sent everything, so both sides would wait for ever.
//
// Config.MinReadRate does not apply to such a body, because the client may wait for the response.
func (w *ResponseWriter) EnableFullDuplex() {
	w.duplex = true
	w.x.link.AllowPauses()
}

// SetReadDeadline sets the deadline for reading this request's body, in place of Config.ReadTimeout. The zero time
// means no deadline. Any goroutine may call it while the handler runs.
func (w *ResponseWriter) SetReadDeadline(t time.Time) error {
	return w.x.link.SetReadDeadline(t)
}

// SetWriteDeadline sets the deadline for writing this response, in place of Config.WriteTimeout. The zero time means no
// deadline. Any goroutine may call it while the handler runs.
func (w *ResponseWriter) SetWriteDeadline(t time.Time) error {
	return w.x.link.SetWriteDeadline(t)
}
