package httpread

import (
	"errors"
	"io"
	"math"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
)

// ErrTooLarge means that a body is larger than its limit.
var ErrTooLarge = errors.New("the body is too large")

// Body reads the body of one message: from memory if it arrived together with its head, otherwise from a connection. It
// counts the bytes that it returns. The zero value is an empty body. It must be used by one goroutine at a time.
//
// A Body does not store its connection. Each call is given the connection, which must be the same for all of a body.
type Body struct {
	whole     []byte // unread bytes of a body that arrived with its head
	streamed  bool   // the body comes from a connection, through dec
	byClose   bool   // only the end of the connection ends the body
	dec       http1.Body
	length    int64 // Content-Length, -1 if unknown
	read      int64 // bytes returned so far
	limit     int64 // most bytes that may be returned
	discarded int   // bytes of body and framing that Discard and DiscardArrived have dropped
	err       error // result of every further read; io.EOF at the end
}

// Reset makes b an empty body. The body that is started next may have limit bytes; negative means no limit.
func (b *Body) Reset(limit int64) {
	b.whole, b.streamed, b.byClose, b.length, b.read, b.discarded, b.err = nil, false, false, 0, 0, 0, nil
	b.SetLimit(limit)
}

// SetLimit sets how many bytes may be read in total; negative means no limit.
func (b *Body) SetLimit(n int64) {
	if n < 0 {
		n = math.MaxInt64
	}
	b.limit = n
}

// Limit returns how many bytes may be read in total.
func (b *Body) Limit() int64 { return b.limit }

// StartWhole starts a body that has already arrived as p. b must have been reset. b returns parts of p without copying.
func (b *Body) StartWhole(p []byte) {
	b.whole, b.length = p, int64(len(p))
}

// Start starts a body that is read from a connection and framed by f (RFC 9112 §6.3). b must have been reset.
func (b *Body) Start(f http1.Framing, l http1.Limits) {
	b.streamed, b.byClose = true, f.Delimiter == http1.ByClose
	switch f.Delimiter {
	case http1.NoBody:
		b.length = 0
	case http1.ByLength:
		b.length = f.Length
	default:
		b.length = -1
	}
	b.dec.Start(f, l)
}

// StartUntilEOF starts a body that is read from a Conn which returns io.EOF at its end, as an HTTP/2 stream does (RFC 9113
// §8.1). b must have been reset. length is the length of the body, -1 if unknown.
func (b *Body) StartUntilEOF(length int64) {
	b.Start(http1.Framing{Delimiter: http1.ByClose}, http1.Limits{})
	b.length = length
}

// Streamed reports whether the body is read from a connection.
func (b *Body) Streamed() bool { return b.streamed }

// Buffered returns the number of unread bytes of a body that arrived with its head.
func (b *Body) Buffered() int { return len(b.whole) }

// Left returns the number of unread bytes, or a negative number if the length is unknown.
func (b *Body) Left() int64 { return b.length - b.read }

// MinLeft returns a lower bound of the unread bytes: the rest of a known length, or of the current chunk.
func (b *Body) MinLeft() int64 { return max(b.Left(), b.dec.Remaining()) }

// Ended reports whether all bytes of the message have been taken from the connection, so that the next message can
// follow.
func (b *Body) Ended() bool { return !b.streamed || b.dec.Done() }

// Err returns the result of every further read: io.EOF if a read has reached the end, nil if reading may go on.
func (b *Body) Err() error { return b.err }

// Check returns Err. Before that it sets Err to ErrTooLarge if the Content-Length is beyond the limit, so that such a
// body is refused before it is read.
func (b *Body) Check() error {
	if b.err == nil && b.length > b.limit {
		b.err = ErrTooLarge
	}
	return b.err
}

// Fail makes every further read return err, unless an error or the end was reached before.
func (b *Body) Fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

var noTrailer shockwave.Header

// Trailer returns the trailer fields of a chunked body (RFC 9110 §6.5) after a read has returned io.EOF. Otherwise, and
// if there are none, it returns an empty list. The list must not be changed and is valid until the next Start.
func (b *Body) Trailer() *shockwave.Header {
	if b.streamed && b.err == io.EOF {
		return b.dec.Trailer()
	}
	return &noTrailer
}

// Read reads at least one byte into p and waits for it if necessary. It returns io.EOF at the end, ErrTooLarge beyond
// the limit, *http1.Error for a malformed body, io.ErrUnexpectedEOF if the connection ends too early (RFC 9112 §8), or
// an error of c. After an error it returns the same error again.
func (b *Body) Read(c Conn, p []byte) (int, error) {
	switch {
	case b.Check() != nil:
		return 0, b.err
	case b.streamed:
		return b.readStream(c, p)
	}
	n := copy(p, b.whole)
	b.whole = b.whole[n:]
	b.read += int64(n)
	if n == 0 && len(b.whole) == 0 {
		b.err = io.EOF
	}
	return n, b.err
}

// ReadAll returns the unread rest of the body. A body that arrived with its head is returned without copying. Otherwise
// ReadAll reads into buf, or, if that is too small, into memory that grows with the bytes that arrive, never in
// advance. The error is nil at the end and otherwise as Read's. A body that does not fit into a slice is ErrTooLarge.
func (b *Body) ReadAll(c Conn, buf []byte) ([]byte, error) {
	if b.limit-b.read >= math.MaxInt {
		b.limit = b.read + math.MaxInt - 1 // one more byte in the slice shows that the body is longer
	}
	switch {
	case b.Check() != nil:
		return nil, b.failure()
	case !b.streamed:
		p := b.whole
		b.whole, b.err = nil, io.EOF
		b.read += int64(len(p))
		return p, nil
	}
	for buf = buf[:0]; b.err == nil; {
		if b.dec.Done() {
			b.err = io.EOF // no further read is needed, nor room for one
			break
		}
		buf = b.grow(buf)
		n, _ := b.readStream(c, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
	}
	return buf, b.failure()
}

// Took notes that the caller has taken the next n bytes of a body with a Content-Length from the connection itself. No
// fewer must be left.
func (b *Body) Took(n int) {
	b.dec.Skip(int64(n))
	b.read += int64(n)
	if b.dec.Done() {
		b.err = io.EOF
	}
}

// grow returns buf with room for at least one more byte.
func (b *Body) grow(buf []byte) []byte {
	if len(buf) < cap(buf) {
		return buf
	}
	return append(make([]byte, 0, b.capacity(len(buf))), buf...)
}

// capacity returns the new capacity of a full buffer with have bytes: twice as much, but no more than a body of known
// length needs to reach its end, and no more than a slice can have.
func (b *Body) capacity(have int) int {
	size := max(4<<10, 2*int64(have))
	left := b.Left()
	if b.byClose {
		left++ // one more read is needed to see the end
	}
	if b.length >= 0 && left < size-int64(have) {
		size = int64(have) + left
	}
	return int(min(size, math.MaxInt))
}

// failure returns Err, but nil for io.EOF.
func (b *Body) failure() error {
	if b.err == io.EOF {
		return nil
	}
	return b.err
}
