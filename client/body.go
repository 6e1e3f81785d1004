package client

import (
	"errors"
	"io"
	"slices"

	"github.com/shockwave-go/shockwave/internal/compress/coding"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// Body reads the body of a Response. It is an io.ReadCloser. One goroutine at a time may read; Close may be called by any.
type Body struct {
	of   *subject
	raw  *httpclient.Response
	life *life

	limit   int64          // Config.MaxBodyBytes
	decoder *coding.Reader // made when it is first needed
	encoded bool           // the body is read through decoder
	read    int64          // how many bytes Read has returned
	err     error          // the error that Read returns from now on
}

// reset prepares b for another response.
func (b *Body) reset() { b.encoded, b.read, b.err = false, 0, nil }

// Close closes the Response: see Response.Close.
func (b *Body) Close() error {
	if b.life.closed.Swap(true) {
		return nil
	}
	b.raw.Close()
	if b.encoded {
		b.decoder.Close()
	}
	b.life.end()
	return nil
}

// Read implements io.Reader. It returns io.EOF only at the end of the body. Other errors are io.ErrUnexpectedEOF if the
// server ends the body too early, an error whose Timeout method returns true after Config.BodyTimeout, ErrBodyTooLarge,
// ErrBodyClosed, and the context's cause when the context is done. Further calls return the same error. All errors except
// io.EOF and ErrBodyClosed are wrapped in an *Error.
func (b *Body) Read(p []byte) (int, error) {
	if !b.life.acquire() {
		return 0, ErrBodyClosed
	}
	n, err := b.next(p)
	b.life.release()
	return n, err
}

// next reads the next part of the body into p.
func (b *Body) next(p []byte) (n int, err error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.encoded {
		n, err = b.decoder.Read(p)
	} else {
		n, err = b.raw.Read(p)
	}
	if err != nil && b.life.closed.Load() {
		return n, ErrBodyClosed
	}
	b.read += int64(n)
	if b.limit > 0 && b.read > b.limit {
		n -= int(b.read - b.limit)
		b.read, err = b.limit, ErrBodyTooLarge
	}
	if err == nil || err == io.EOF || errors.Is(err, httpclient.ErrTwoReaders) {
		return n, err
	}
	b.err = b.of.wrap(err)
	return n, b.err
}

// appendTo is Response.AppendBody.
func (b *Body) appendTo(dst []byte) ([]byte, error) {
	limit := b.limit
	if limit == 0 {
		limit = defaultAppend
	}
	for start := len(dst); ; {
		room := b.room(len(dst) - start)
		if limit > 0 {
			room = int(min(int64(room), limit-int64(len(dst)-start)+1))
		}
		dst = slices.Grow(dst, room)
		n, err := b.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		if over := int64(len(dst)-start) - limit; limit > 0 && over > 0 {
			return dst[:len(dst)-int(over)], b.of.wrap(ErrBodyTooLarge)
		}
		if err == io.EOF {
			return dst, nil
		}
		if err != nil {
			return dst, err
		}
	}
}

// room returns how many bytes to make room for when the given number of bytes of the body have been read: exactly the rest if it
// has arrived whole, otherwise as many as have been read. So memory grows with the received bytes, not with the declared length.
func (b *Body) room(have int) int {
	if p, whole := b.raw.Buffered(); whole && !b.encoded {
		return len(p)
	}
	more := max(have, 4<<10)
	if left := b.raw.Length - int64(have); !b.encoded && left >= 0 && left < int64(more) {
		more = int(left) + 1 // one more to see the end
	}
	return more
}

// decode lets Read decode the body's Content-Encoding. A body with an unknown coding is left as it is.
func (b *Body) decode(within coding.Limits) {
	h := b.raw.Header()
	first := h.Get("Content-Encoding")
	if len(first) == 0 || ascii.EqualFold(first, "identity") || b.raw.Bodyless() {
		return
	}
	if b.decoder == nil {
		b.decoder = new(coding.Reader)
	}
	b.encoded = b.decoder.Reset(b.raw, codings(h), within) == nil
}

// codings returns the values of all Content-Encoding fields as one list (RFC 9110 §5.3).
func codings(h *Header) string {
	list, i := h.Next("Content-Encoding", 0)
	for v, i := h.Next("Content-Encoding", i); i > 0; v, i = h.Next("Content-Encoding", i) {
		list = append(append(list, ','), v...) // append must not write behind the value, so it copies
	}
	return string(list)
}
