package nethttp

import (
	"errors"
	"net/http"
	"sync"
	"unsafe"

	"github.com/shockwave-go/shockwave/server"
)

// errReturned is returned by the methods of an http.ResponseWriter after its handler has returned.
var errReturned = errors.New("http: response used after its handler returned")

// response is the http.ResponseWriter of one exchange, and with HTTP/1 a part of it: h1Response. It begins to write to the native writer when the head is
// final: later changes of the Header map have no effect, except for trailers.
//
// It may be used by several goroutines, one call after the other, as net/http requires. A late call by a goroutine
// that has outlived the handler gets an error and reaches no other request.
type response struct {
	x      *exchange
	header http.Header // never replaced

	mu         sync.Mutex
	status     int16                  // 0 until WriteHeader
	connect    bool                   // the request is a CONNECT
	hasBody    bool                   // the response has a body; also set for HEAD
	noTrailers bool                   // HTTP/1 with a Content-Length: trailers follow chunks only (RFC 9112 §7.1.2)
	hijacked   bool                   // the handler has taken over the connection
	fullDuplex bool                   // the body may be read after the response has begun
	nw         *server.ResponseWriter // nil when hijacked, or when the handler has returned
	extra      *responseExtras        // nil until needed
}

// responseExtras holds what few responses need.
type responseExtras struct {
	trailers    []string  // names announced by Trailer fields
	closeNotice chan bool // returned by CloseNotify
}

// extrasLocked returns w.extra, which it allocates at the first call.
func (w *response) extrasLocked() *responseExtras {
	if w.extra == nil {
		w.extra = new(responseExtras)
	}
	return w.extra
}

// owner returns the carrier that the connection belongs to.
func (w *response) owner() owner { return w.x.ctx.conn.owner }

// Header returns the map of the response's fields.
func (w *response) Header() http.Header { return w.header }

// Write appends to the body. If the head is not final yet, it is sent with status 200. The native writer decides
// how much of p may be written.
func (w *response) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.ensureHeadLocked("Write", len(p) > 0); err != nil || len(p) == 0 {
		return 0, err
	}
	if w.lockBodyLocked() {
		defer w.x.body.mu.Unlock()
	}
	n, err := w.nw.Write(p)
	if err == http.ErrContentLength {
		w.endAfterOverrunLocked()
	}
	return n, err
}

// WriteString is like Write, for a string.
func (w *response) WriteString(s string) (int, error) {
	// Write neither changes nor keeps its argument.
	return w.Write(unsafe.Slice(unsafe.StringData(s), len(s)))
}

// ensureHeadLocked makes the head final with status 200 if it is not final yet. If method comes too late, it returns an
// error, and logs it if noisy is true.
func (w *response) ensureHeadLocked(method string, noisy bool) error {
	if w.nw == nil {
		return w.lateCallError(method, noisy)
	}
	if w.status == 0 {
		w.writeHeaderLocked(http.StatusOK)
	}
	return nil
}

// endAfterOverrunLocked handles a handler that writes more than the declared length: it sends what was written before,
// and ends a connection of HTTP/1. The caller also holds body.mu if lockBodyLocked has locked it.
func (w *response) endAfterOverrunLocked() {
	w.nw.Flush()
	w.x.closeAfter(w.nw)
}

// lockBodyLocked locks body.mu and reports whether it did. It must be called before a call that may begin the response,
// because the native writer then disposes of the rest of the body. If another goroutine is reading the body, the body
// is left to it, as if the handler had called EnableFullDuplex.
func (w *response) lockBodyLocked() bool {
	if w.fullDuplex || w.x.body == nil || w.nw.Committed() {
		return false
	}
	if w.x.body.lockUnlessReading() {
		return true
	}
	w.nw.EnableFullDuplex()
	w.fullDuplex = true
	return false
}

// lateCallError returns the error of a call of method after the response was detached. If noisy is true and the
// connection was hijacked, it also logs the call, as net/http does.
func (w *response) lateCallError(method string, noisy bool) error {
	if !w.hijacked {
		return errReturned
	}
	if noisy {
		w.owner().logf("http: response.%s on hijacked connection from %s", method, caller())
	}
	return http.ErrHijacked
}

// finish completes the response and detaches it from the connection: a later Write fails. It returns the native
// writer, which sends the rest after the native handler has returned, or nil after Hijack.
func (w *response) finish() *server.ResponseWriter {
	w.mu.Lock()
	defer w.mu.Unlock()
	nw := w.nw
	if nw != nil {
		w.completeLocked()
		w.nw = nil
	}
	return nw
}

// completeLocked makes the head final if the handler has not, and sends the trailers.
func (w *response) completeLocked() {
	if w.status == 0 {
		if w.x.body != nil && w.x.body.failed() {
			return // the native server chooses the status for the failed body
		}
		w.writeHeaderLocked(http.StatusOK)
	}
	if w.lockBodyLocked() {
		defer w.x.body.mu.Unlock()
	}
	w.sendTrailersLocked()
}

// sendRest sends what has been written, before the connection (the stream, with HTTP/2) is interrupted. nw is nil
// after Hijack.
func (x *exchange) sendRest(nw *server.ResponseWriter) {
	if nw == nil {
		return
	}
	x.closeAfter(nw)
	nw.EnableFullDuplex() // another goroutine is reading the body
	nw.Flush()
}

// detach detaches the response from the connection without completing it, and returns the native writer, or nil after
// Hijack.
func (w *response) detach() *server.ResponseWriter {
	w.mu.Lock()
	defer w.mu.Unlock()
	nw := w.nw
	w.nw = nil
	return nw
}
