package server

import (
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path/filepath"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
	"github.com/shockwave-go/shockwave/server/internal/preamble"
)

// sendfileFrom is the smallest number of bytes for which sendfile is used: for less, one write together with the head is
// cheaper than a system call of its own.
const sendfileFrom = 16 << 10

// ReadFrom writes the bytes of src until io.EOF. If a Content-Length was set and src is a regular file as an *os.File,
// also inside an *io.SectionReader or *io.LimitedReader, HTTP/1 without TLS has the system copy the bytes (sendfile).
// Without a Content-Length the bytes leave in chunks: a chunk says its size before its bytes, and a file may become
// shorter meanwhile. ReadFrom returns the errors of Write and of src.
func (w *ResponseWriter) ReadFrom(src io.Reader) (int64, error) {
	switch { // not by admit: with nothing to copy no response has begun
	case w.err != nil:
		return 0, w.err
	case w.phase == hijacked:
		return 0, http.ErrHijacked
	case w.count.limit == overrun:
		return 0, http.ErrContentLength
	}
	if w.sniffer.waiting && len(w.buf) < sniffLength {
		n, err := bufpool.Copy(w, io.LimitReader(src, sniffLength))
		if err != nil || n < sniffLength {
			return n, err
		}
		rest, err := w.ReadFrom(src)
		return n + rest, err
	}
	if w.phase <= begun {
		w.count.setLimit(w.declaredLength())
	}
	large := w.count.left() >= sendfileFrom
	if w.phase <= begun && large && http1.AllowsBody(w.status, w.x.req.method == bodyplan.Connect) {
		w.commit(-1, "")
	}
	// The system may copy bytes past the framing only into a body of fixed length, which has no framing between its
	// bytes.
	left := w.plan.Length - w.count.written
	file, ok := w.x.sink.(fileSink)
	if !ok || w.plan.Body != bodyplan.OfLength || left < sendfileFrom {
		return bufpool.Copy(w, src)
	}
	if err := w.send(nil); err != nil {
		return 0, err
	}
	limited, ok := src.(*io.LimitedReader)
	if !ok || limited.N > left {
		limited = &io.LimitedReader{R: src, N: left}
	}
	n, err := file.readFrom(limited)
	w.count.written += n
	if err != nil {
		return n, w.x.link.WireError("write", err)
	}
	if n < left {
		return n, nil
	}
	// All declared bytes are sent. If src has more, Write must see them and fail.
	more, err := bufpool.Copy(w, src)
	return n + more, err
}

// fileSink is a sink that can make the system copy a file into a body.
type fileSink interface {
	readFrom(src *io.LimitedReader) (int64, error)
}

// ServeFile responds with the file called name. It sets Content-Type by the file's extension unless Header has one,
// Last-Modified and Content-Length. It does not handle ranges and conditions: for those use http.ServeContent with
// package nethttp. If the file does not exist it responds with 404, if it cannot be read 403 or 500, and returns the error. A
// name that comes from the request must be checked by the caller.
func (w *ResponseWriter) ServeFile(name string) error {
	f, info, err := openRegular(name)
	if err != nil {
		w.Error(fileStatus(err), http.StatusText(fileStatus(err)))
		return err
	}
	defer f.Close()
	if !w.header.Has("Content-Type") {
		kind := mime.TypeByExtension(filepath.Ext(name))
		if kind == "" {
			kind = "application/octet-stream"
		}
		w.header.Set("Content-Type", kind)
	}
	w.header.Set("Last-Modified", info.ModTime().UTC().Format(preamble.DateFormat))
	w.SetContentLength(info.Size()) // it takes precedence over any length set before
	if w.x.req.method == bodyplan.Head {
		return w.admit(0)
	}
	_, err = w.ReadFrom(io.LimitReader(f, info.Size()))
	return err
}

// openRegular opens a regular file. Directories and pipes are refused because they have no size.
func openRegular(name string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(name) // before Open, which may block on a pipe
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
	}
	return f, info, err
}

// fileStatus returns the status for a file that cannot be opened.
func fileStatus(err error) int {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNotRegular):
		return 404
	case errors.Is(err, fs.ErrPermission):
		return 403
	}
	return 500
}
