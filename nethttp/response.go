package nethttp

import (
	"errors"
	"net/http"
	"sync"
	"unsafe"

	"github.com/shockwave-go/shockwave/server"
)

// errReturned is what an http.ResponseWriter says when its handler has returned.
var errReturned = errors.New("http: response used after its handler returned")

// response is the http.ResponseWriter of one exchange. It begins to write to the native writer when the head is
// settled: from WriteHeader on, changes of the Header map are not seen.
//
// It may be used from several goroutines, one call after the other as net/http asks; a late call from a goroutine
// that outlived the handler gets an error and reaches nobody.
type response struct {
	x      *exchange
	header http.Header // never another one

	mu       sync.Mutex
	status   int16                  // 0 until WriteHeader
	connect  bool                   // the request is a CONNECT
	bodied   bool                   // the answer has a body, if only HEAD's
	hijacked bool                   // the connection is the handler's
	duplex   bool                   // the body may be read when the answer has begun
	nw       *server.ResponseWriter // nil when hijacked or when the handler has returned
	rare     *rarely                // nil until needed
}

// rarely is what few responses need.
type rarely struct {
	trailers    []string  // announced by Trailer fields
	closeNotice chan bool // CloseNotify's
}

// rarely returns w.rare. w.mu is held.
func (w *response) rarely() *rarely {
	if w.rare == nil {
		w.rare = new(rarely)
	}
	return w.rare
}

// server returns the Server, nil behind Handler.
func (w *response) server() *Server { return w.x.ctx.conn.owner }

// Header returns the map of the answer's fields.
func (w *response) Header() http.Header { return w.header }

// Write appends to the body; the head is settled first, with status 200, if it is not yet. What may be written is for the
// native writer to say.
func (w *response) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.begin("Write", len(p) > 0); err != nil || len(p) == 0 {
		return 0, err
	}
	if w.holdBody() {
		defer w.x.body.mu.Unlock()
	}
	n, err := w.nw.Write(p)
	if err == http.ErrContentLength {
		w.endAfterOverrun()
	}
	return n, err
}

// WriteString is Write for a string.
func (w *response) WriteString(s string) (int, error) {
	// Write neither changes nor keeps what it is given.
	return w.Write(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// begin settles the head, if it is not yet. noisy: that method comes too late is logged. w.mu is held.
func (w *response) begin(method string, noisy bool) error {
	if w.nw == nil {
		return w.cut(method, noisy)
	}
	if w.status == 0 {
		w.writeHeader(http.StatusOK)
	}
	return nil
}

// endAfterOverrun ends the connection for a handler that writes more than it declared, unless others use it; what it
// wrote so far leaves. w.mu is held, and body.mu if need be.
func (w *response) endAfterOverrun() {
	w.nw.Flush()
	w.x.closeAfter(w.nw)
}

// holdBody takes body.mu, and reports whether it did, before a call that may begin the answer: with the answer the native
// writer sees to what is left of the body. While another goroutine reads it, it is left to that one, as if the handler
// had asked for full duplex. w.mu is held.
func (w *response) holdBody() bool {
	if w.duplex || w.x.body == nil || w.nw.Committed() {
		return false
	}
	if w.x.body.take() {
		return true
	}
	w.nw.EnableFullDuplex()
	w.duplex = true
	return false
}

// cut says why nothing can be written any more; noisy: and logs it, as net/http does for hijacked connections.
func (w *response) cut(method string, noisy bool) error {
	if !w.hijacked {
		return errReturned
	}
	if noisy {
		w.server().logf("http: response.%s on hijacked connection from %s", method, caller())
	}
	return http.ErrHijacked
}

// finish settles what the handler left open, and cuts the response from the connection: a Write that comes later fails.
// It returns the native writer, which sends the rest once the native handler has returned; nil after Hijack.
func (w *response) finish() *server.ResponseWriter {
	w.mu.Lock()
	defer w.mu.Unlock()
	nw := w.nw
	if nw != nil {
		w.settle()
		w.nw = nil
	}
	return nw
}

// settle does what a handler may leave to the server. w.mu is held.
func (w *response) settle() {
	if w.status == 0 {
		if w.x.body != nil && w.x.body.failed() {
			return // the native server answers with what fits
		}
		w.writeHeader(http.StatusOK)
	}
	if w.holdBody() {
		defer w.x.body.mu.Unlock()
	}
	w.sendTrailers()
}

// sendRest sends the answer as far as it goes, before the connection, or of HTTP/2 the stream, is broken off. nw is nil after Hijack.
func (x *exchange) sendRest(nw *server.ResponseWriter) {
	if nw == nil {
		return
	}
	x.closeAfter(nw)
	nw.EnableFullDuplex() // the body is another goroutine's
	nw.Flush()
}

// detach cuts the response from the connection, as it is, and returns the native writer; nil after Hijack.
func (w *response) detach() *server.ResponseWriter {
	w.mu.Lock()
	defer w.mu.Unlock()
	nw := w.nw
	w.nw = nil
	return nw
}
