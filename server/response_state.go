package server

import "net/http"

// phase is the progress of a response.
//
//	unanswered ─► begun ─► buffering ─┐
//	                  └──► streaming ─┴─► finished        any but finished ─► hijacked
type phase uint8

const (
	unanswered phase = iota // the handler has set no status and written nothing
	begun                   // the handler has set a status or written; nothing has been handed to the connection
	buffering               // the head has been handed to the connection; small writes are gathered
	streaming               // the same; every write is sent at once
	hijacked                // the handler has taken the connection over
)

// headSent reports whether the response has a head that can no longer be changed.
func (p phase) headSent() bool { return p == buffering || p == streaming }

// bodyCount counts the bytes of a response's body and compares them with its Content-Length.
type bodyCount struct {
	limit   int64 // the Content-Length, noLimit, or overrun
	written int64 // bytes passed to Write
}

const (
	noLimit = -1
	overrun = -2 // a write went beyond the Content-Length: no more bytes are allowed
)

// setLimit sets the Content-Length, unless the body has gone beyond an earlier one.
func (c *bodyCount) setLimit(n int64) {
	if c.limit != overrun {
		c.limit = n
	}
}

// add counts n more bytes. It counts none of them, and returns an error, if they go beyond the Content-Length.
func (c *bodyCount) add(n int) error {
	if c.limit >= 0 && c.written+int64(n) > c.limit || c.limit == overrun {
		return http.ErrContentLength
	}
	c.written += int64(n)
	return nil
}

// left returns how many bytes the Content-Length allows; a negative number if there is none, or nothing is allowed.
func (c *bodyCount) left() int64 {
	if c.limit < 0 {
		return -1
	}
	return c.limit - c.written
}

// typeSniffer detects the Content-Type from the first bytes of a body.
type typeSniffer struct {
	waiting bool   // for the first bytes
	found   string // the detected type, "" if there is none
}

// sniffLength is how many bytes http.DetectContentType considers.
const sniffLength = 512

// wants returns the part of p that s still looks at, after the bytes that are buffered.
func (s *typeSniffer) wants(buffered int, p []byte) []byte {
	if !s.waiting {
		return nil
	}
	return p[:min(len(p), max(0, sniffLength-buffered))]
}

// look detects the type of a body that begins with first. Without any bytes it detects none.
func (s *typeSniffer) look(first []byte) {
	if len(first) > 0 {
		s.found = http.DetectContentType(first)
	}
}
