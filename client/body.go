package client

import (
	"errors"
	"io"
	"slices"

	"github.com/shockwave-go/shockwave/internal/httpclient"
)

// Body is a response's body as a reader. It is the Response itself.
type Body Response

// Body returns the body, decompressed if the client has asked for that. It is never nil.
func (r *Response) Body() *Body { return (*Body)(r) }

// Close closes the response.
func (b *Body) Close() error { return (*Response)(b).Close() }

// Read implements io.Reader. It fails with io.EOF at the end, and only there; with io.ErrUnexpectedEOF where the server
// ends too early, an error with Timeout() true after Config.BodyTimeout, ErrBodyTooLarge, ErrBodyClosed, the cause of the
// context's end; and from then on with the same. Errors are an *Error but for io.EOF and ErrBodyClosed.
func (b *Body) Read(p []byte) (int, error) {
	r := (*Response)(b)
	if !r.enter() {
		return 0, ErrBodyClosed
	}
	n, err := r.next(p)
	r.leave()
	return n, err
}

// next reads on.
func (r *Response) next(p []byte) (n int, err error) {
	if r.failure != nil {
		return 0, r.failure
	}
	if r.coded {
		n, err = r.decoder.Read(p)
	} else {
		n, err = r.raw.Read(p)
	}
	if err != nil && r.closed.Load() {
		return n, ErrBodyClosed
	}
	r.read += int64(n)
	if limit := r.client.cfg.MaxBodyBytes; limit > 0 && r.read > limit {
		n -= int(r.read - limit)
		r.read, err = limit, ErrBodyTooLarge
	}
	if err == nil || err == io.EOF || errors.Is(err, httpclient.ErrTwoReaders) {
		return n, err
	}
	r.failure = r.failed(err)
	return n, r.failure
}

// AppendBody appends what is left of the body to dst, which grows with what comes, and returns it: the memory is the
// caller's. It fails as Body does, with what has come until then, and with ErrBodyTooLarge beyond Config.MaxBodyBytes.
func (r *Response) AppendBody(dst []byte) ([]byte, error) {
	limit := r.client.cfg.MaxBodyBytes
	if limit == 0 {
		limit = defaultAppend
	}
	for start := len(dst); ; {
		room := r.room(len(dst) - start)
		if limit > 0 {
			room = int(min(int64(room), limit-int64(len(dst)-start)+1))
		}
		dst = slices.Grow(dst, room)
		n, err := r.Body().Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		if over := int64(len(dst)-start) - limit; limit > 0 && over > 0 {
			return dst[:len(dst)-int(over)], r.failed(ErrBodyTooLarge)
		}
		if err == io.EOF {
			return dst, nil
		}
		if err != nil {
			return dst, err
		}
	}
}

// room returns for how many bytes more there is to be room when have of the body are there: no more than it needs if it
// has arrived whole; else as much as there is, since memory follows what has come, and not what was said to come.
func (r *Response) room(have int) int {
	if p, whole := r.raw.Buffered(); whole && !r.coded {
		return len(p)
	}
	more := max(have, 4<<10)
	if left := r.raw.Length - int64(have); !r.coded && left >= 0 && left < int64(more) {
		more = int(left) + 1 // to see the end
	}
	return more
}
