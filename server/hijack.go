package server

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
)

// Hijack takes the connection over: from now on it is the caller's, without deadlines, and the server does not close
// it. What was read ahead, the unread part of the request's body included, stands in the reader of rw. An answer that
// was begun is flushed first; if none was, nothing is sent. Nothing else of w works afterwards, and the slices that the
// Request gave out are no longer valid. A stream of HTTP/2 is no connection:
// there it fails with http.ErrNotSupported, unless the request is a CONNECT, which makes it a tunnel.
func (w *ResponseWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if w.phase == hijacked {
		return nil, nil, http.ErrHijacked
	}
	if w.phase != unanswered {
		if err := w.Flush(); err != nil {
			return nil, nil, err
		}
	}
	nc, ahead, err := w.x.sink.hijack()
	if errors.Is(err, http.ErrNotSupported) {
		return nil, nil, err // the answer can still be given
	}
	if err != nil {
		w.setErr(err)
		return nil, nil, err
	}
	w.phase = hijacked
	// The bytes read ahead come first and stand in the buffer right away, where callers look for them with Buffered.
	r := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(ahead), nc), max(bufferedSize, len(ahead)))
	r.Peek(len(ahead))
	return nc, bufio.NewReadWriter(r, bufio.NewWriterSize(nc, bufferedSize)), nil
}

const bufferedSize = 4 << 10

// hijack implements sink.
func (m *h1Message) hijack() (net.Conn, []byte, error) {
	m.Take(m.at.taken + m.at.head + m.at.body - m.req.body.Held())
	m.at = span{}
	return m.Conn.Hijack()
}
