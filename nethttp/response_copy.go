package nethttp

import (
	"io"
	"net/http"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// ReadFrom copies src to the body. A file is sent with sendfile where the system can. Other sources are read without
// holding the response's lock, because a Read may take long.
func (w *response) ReadFrom(src io.Reader) (int64, error) {
	if netconn.IsFile(src) {
		return w.sendFile(src)
	}
	return bufpool.Copy(w, src)
}

// sendFile passes src, a file, to the native writer.
func (w *response) sendFile(src io.Reader) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.ensureHeadLocked("Write", true); err != nil {
		return 0, err
	}
	if tunnel := w.connect && w.x.req.ProtoMajor > 1; !w.hasBody && !tunnel { // a tunnel of HTTP/2 is a body
		return 0, http.ErrBodyNotAllowed
	}
	if w.lockBodyLocked() {
		defer w.x.body.mu.Unlock()
	}
	n, err := w.nw.ReadFrom(src)
	if err == http.ErrContentLength {
		w.endAfterOverrunLocked()
	}
	return n, err
}
