package client

import (
	"errors"
	"io"
	"slices"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// Body reads a response's body. It is the Response itself, with another method set.
type Body Response

// Body returns the body, decompressed if the client has asked for that. It is never nil.
func (r *Response) Body() *Body { return (*Body)(r) }

// Close closes the response.
func (b *Body) Close() error { return (*Response)(b).Close() }

// Read implements io.Reader. It returns io.EOF only at the end of the body. Other errors are io.ErrUnexpectedEOF if the
// server ends the body too early, an error whose Timeout method returns true after Config.BodyTimeout, ErrBodyTooLarge,
// ErrBodyClosed, and the context's cause when the context is done. Further calls return the same error. All errors except
// io.EOF and ErrBodyClosed are wrapped in an *Error.
func (b *Body) Read(p []byte) (int, error) {
	r := (*Response)(b)
	if !r.acquire() {
		return 0, ErrBodyClosed
	}
	n, err := r.next(p)
	r.release()
	return n, err
}

// next reads the next part of the body into p.
func (r *Response) next(p []byte) (n int, err error) {
	if r.bodyErr != nil {
		return 0, r.bodyErr
	}
	if r.encoded {
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
	r.bodyErr = r.wrapError(err)
	return n, r.bodyErr
}

// AppendBody appends the rest of the body to dst and returns it. The caller owns the memory, which grows as the body
// arrives. AppendBody fails as Body's Read does, and with ErrBodyTooLarge if the body exceeds Config.MaxBodyBytes; it then
// returns what has been read so far.
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
			return dst[:len(dst)-int(over)], r.wrapError(ErrBodyTooLarge)
		}
		if err == io.EOF {
			return dst, nil
		}
		if err != nil {
			return dst, err
		}
	}
}

// room returns how many bytes to make room for when have bytes of the body have been read: exactly the rest if it has
// arrived whole, otherwise as many as have been read. So memory grows with the received bytes, not with the declared
// length.
func (r *Response) room(have int) int {
	if p, whole := r.raw.Buffered(); whole && !r.encoded {
		return len(p)
	}
	more := max(have, 4<<10)
	if left := r.raw.Length - int64(have); !r.encoded && left >= 0 && left < int64(more) {
		more = int(left) + 1 // one more to see the end
	}
	return more
}
