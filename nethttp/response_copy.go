package nethttp

import (
	"io"
	"net/http"
	"os"
)

// ReadFrom copies src to the body. A file goes by sendfile where the system can; other sources are read without
// holding the response's lock, since they may wait for long.
func (w *response) ReadFrom(src io.Reader) (int64, error) {
	if isFile(src) {
		return w.sendFile(src)
	}
	buf := getCopyBuffer()
	defer putCopyBuffer(buf)
	var total int64
	for {
		n, err := src.Read(*buf)
		if n > 0 {
			m, werr := w.Write((*buf)[:n])
			total += int64(m)
			if werr != nil {
				return total, werr
			}
		}
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

// isFile reports whether src is a file, or a bounded part of one as http.ServeContent sends it.
func isFile(src io.Reader) bool {
	if l, ok := src.(*io.LimitedReader); ok {
		src = l.R
	}
	f, ok := src.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// sendFile hands src, a file, to the native writer.
func (w *response) sendFile(src io.Reader) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.begin("Write", true); err != nil {
		return 0, err
	}
	if !w.bodied {
		return 0, http.ErrBodyNotAllowed
	}
	if w.holdBody() {
		defer w.x.body.mu.Unlock()
	}
	n, err := w.nw.ReadFrom(src)
	if err == http.ErrContentLength {
		w.endAfterOverrun()
	}
	return n, err
}
