package h1

import (
	"errors"
	"io"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pipeline"
)

// reader implements pipeline.Reader: it counts the responses on one connection.
type reader struct {
	method   string     // of the requests
	closes   bool       // the requests ask the server to close the connection after the response
	known    *knownHead // of the slot's shard
	response responseReader
}

// errUnasked is the error for a response without a request.
var errUnasked = errors.New("load: a response that nobody asked for")

// Read implements pipeline.Reader.
func (r *reader) Read(c *pipeline.Conn, b []byte, now int64) (taken int, err error) {
	for c.InFlight() > 0 {
		had := len(b) - taken
		n, whole, err := r.response.read(b[taken:], r.method, r.known)
		taken += n
		if err != nil {
			return taken, err
		}
		if !whole {
			if had > 0 {
				c.Begin(now)
			}
			return taken, nil
		}
		r.answered(c, now)
		if !r.response.keepAlive || r.closes {
			return len(b), pipeline.ErrClosing
		}
	}
	if taken < len(b) {
		return taken, errUnasked
	}
	return taken, nil
}

// answered counts a complete response.
func (r *reader) answered(c *pipeline.Conn, now int64) {
	c.Settle(now, c.Slot().Judge(r.response.status, r.response.length, c.Turn()))
}

// End implements pipeline.Reader.
func (r *reader) End(c *pipeline.Conn, err error, now int64) error {
	switch {
	case err == io.EOF && c.InFlight() > 0 && r.response.endOfStream():
		r.answered(c, now)
		return pipeline.ErrClosing
	case r.response.inBody:
		return pipeline.ErrShort
	}
	return nil
}
