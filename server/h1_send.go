package server

import (
	"io"
	"net"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/fieldkind"
)

var (
	crlf        = []byte("\r\n")
	continueNow = []byte("HTTP/1.1 100 Continue\r\n\r\n")
)

// send implements sink.
func (m *h1Message) send(w *ResponseWriter, p []byte) error {
	n := len(w.buf) + len(p)
	chunk := m.framing.Body == http1.ByChunks && n > 0
	if chunk {
		m.out = http1.AppendChunkSize(m.out, n)
	}
	if len(w.buf) > 0 {
		m.out = append(m.out, w.buf...)
	}
	err := m.write(m.out, p)
	if chunk && err == nil {
		err = m.write(crlf, nil)
	}
	m.out = m.out[:0]
	return err
}

// write writes a and b to the connection as one piece.
func (m *h1Message) write(a, b []byte) error {
	if len(a)+len(b) == 0 {
		return nil
	}
	return m.WriteTwo(a, b)
}

// end implements sink. After a broken body the connection is closed.
func (m *h1Message) end(w *ResponseWriter, broken bool) error {
	if broken {
		w.closeAfter = true
	}
	if m.framing.Body != http1.ByChunks {
		return m.write(m.out, w.buf)
	}
	if len(w.buf) > 0 {
		m.out = http1.AppendChunkSize(m.out, len(w.buf))
		m.out = append(m.out, w.buf...)
		m.out = append(m.out, crlf...)
	}
	m.out = http1.AppendLastChunk(m.out, &w.trailer)
	return m.write(m.out, nil)
}

// inform implements sink. HTTP/1.0 has no informational responses (RFC 9110 §15.2).
func (m *h1Message) inform(code int, h *shockwave.Header) error {
	if m.head.Minor == 0 {
		return nil
	}
	if code == 100 && h == nil {
		return m.write(continueNow, nil) // it is flushed when the reader waits
	}
	m.out = http1.AppendStatusLine(m.out[:0], code, "")
	for i := range h.Len() {
		if name, value := h.At(i); fieldkind.AllowedInInterim(name) {
			m.out, _ = http1.AppendField(m.out, view(name), view(value))
		}
	}
	m.out = append(m.out, crlf...)
	err := m.write(m.out, nil)
	m.out = m.out[:0]
	if err == nil {
		err = m.Conn.Flush()
	}
	return err
}

// flush implements sink.
func (m *h1Message) flush() error { return m.Conn.Flush() }

// push implements sink.
func (m *h1Message) push() error { return m.Conn.Flush() }

// readFrom implements fileSink.
func (m *h1Message) readFrom(src *io.LimitedReader) (int64, error) { return m.Conn.ReadFrom(src) }

// finish completes the response after the handler has returned. It returns nil if another request may follow, otherwise
// the error that Data must return.
func (m *h1Message) finish() error {
	if err := m.res.finish(); err == errTakenOver {
		return err
	} else if err != nil {
		return netconn.ErrAbort
	}
	return m.next()
}

// next returns nil if another request may follow on the connection, otherwise the error that ends it.
func (m *h1Message) next() error {
	b := &m.req.body
	last := m.framing.Close || m.res.closeAfter || m.abandonsBody()
	if !last {
		m.drainBody(promisedBounds) // the response is flushed before this waits
	}
	switch {
	case b.clientSending():
		return netconn.ErrDoneEarly
	case last, !b.Ended():
		return netconn.ErrDone
	}
	return nil
}

// hijack implements sink.
func (m *h1Message) hijack() (net.Conn, []byte, error) {
	if m.res.phase != unanswered {
		if err := m.res.Flush(); err != nil {
			return nil, nil, err
		}
	}
	m.Take(m.at.taken + m.at.head + m.at.body - m.req.body.Buffered())
	m.at = span{}
	return m.Conn.Hijack()
}
