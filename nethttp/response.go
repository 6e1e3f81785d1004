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
	left     int64                  // of the Content-Length that the handler has set; -1: it has set none
	sniff    *[]byte                // body bytes kept until their type is known; nil: nothing to find out
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

// Write appends to the body; the head is settled first, with status 200, if it is not yet.
func (w *response) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.admit(len(p)); err != nil || len(p) == 0 {
		return 0, err
	}
	if w.holdBody() {
		defer w.x.body.mu.Unlock()
	}
	held := 0
	if w.sniff != nil {
		n, err := w.hold(p)
		if held = n; err != nil || n == len(p) {
			return n, err
		}
	}
	n, err := w.nw.Write(p[held:])
	return held + n, err
}

// WriteString is Write for a string.
func (w *response) WriteString(s string) (int, error) {
	// Write neither changes nor keeps what it is given.
	return w.Write(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// admit tells whether n more bytes of body may be written. w.mu is held.
func (w *response) admit(n int) error {
	if w.nw == nil {
		return w.cut("Write", n > 0)
	}
	if w.status == 0 {
		w.writeHeader(http.StatusOK)
	}
	switch {
	case n == 0:
		return nil
	case !w.bodied:
		return http.ErrBodyNotAllowed
	case w.left >= 0 && int64(n) > w.left:
		w.left = 0
		return w.overrun()
	}
	w.count(int64(n))
	return nil
}

// overrun ends the connection for a handler that writes more than it declared; what it wrote so far leaves. w.mu is
// held.
func (w *response) overrun() error {
	if w.holdBody() {
		defer w.x.body.mu.Unlock()
	}
	if w.settleType() == nil {
		w.nw.Flush()
		w.nw.CloseAfter()
	}
	return http.ErrContentLength
}

// count notes that n bytes of body were written.
func (w *response) count(n int64) {
	if w.left > 0 {
		w.left = max(w.left-n, 0)
	}
}

// holdBody takes body.mu, and tells whether it did, before a call that may begin the answer: with the answer the native
// writer sees to what is left of the body. While another goroutine reads it, it is left to that one, as if the handler
// had asked for full duplex. w.mu is held.
func (w *response) holdBody() bool {
	if w.duplex || w.x.body == nil || w.nw.Committed() {
		return false
	}
	if w.x.body.mu.TryLock() {
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
		w.cutOff()
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
	w.settleType()
	w.sendTrailers()
}

// sendRest sends the answer as far as it goes, before the connection is broken off. nw is nil after Hijack.
func sendRest(nw *server.ResponseWriter) {
	if nw == nil {
		return
	}
	nw.CloseAfter()
	nw.EnableFullDuplex() // the body is another goroutine's
	nw.Flush()
}

// detach cuts the response from the connection, as it is, and returns the native writer; nil after Hijack.
func (w *response) detach() *server.ResponseWriter {
	w.mu.Lock()
	defer w.mu.Unlock()
	nw := w.nw
	w.cutOff()
	return nw
}

// cutOff leaves nothing to write to. w.mu is held.
func (w *response) cutOff() {
	w.nw = nil
	w.releaseSniff()
}
