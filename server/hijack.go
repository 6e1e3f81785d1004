package server

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
)

// Hijack takes the connection over. From now on the caller owns it, it has no deadlines, and the server does not close
// it. Bytes that were read ahead, including the unread part of the request's body, are in the reader of rw. A response
// that was begun is flushed first; if none was begun, nothing is sent. Afterwards no other method of w works, and the
// slices that the Request has returned are no longer valid.
//
// On HTTP/2, Hijack returns http.ErrNotSupported, unless the request is a CONNECT: then it returns the stream as a
// tunnel. A WebSocket's stream (see Request.Multiplexed) is taken over like a connection of HTTP/1.1: with status 101, or
// before a response has begun. Then the handler writes the response to the connection itself, and the server translates it.
func (w *ResponseWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if w.phase == hijacked {
		return nil, nil, http.ErrHijacked
	}
	nc, ahead, err := w.x.sink.hijack()
	if errors.Is(err, http.ErrNotSupported) {
		return nil, nil, err // nothing has been sent: the response can still be written
	}
	if err != nil {
		w.setErr(err)
		return nil, nil, err
	}
	w.phase = hijacked
	// The bytes read ahead come first. Peek fills the buffer with them, so that Buffered reports them.
	r := bufio.NewReaderSize(io.MultiReader(bytes.NewReader(ahead), nc), max(bufferedSize, len(ahead)))
	r.Peek(len(ahead))
	return nc, bufio.NewReadWriter(r, bufio.NewWriterSize(nc, bufferedSize)), nil
}

const bufferedSize = 4 << 10
