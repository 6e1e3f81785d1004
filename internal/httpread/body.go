package httpread

import (
	"errors"
	"io"
	"math"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
)

// ErrTooLarge says that a body has more bytes than its limit allows.
var ErrTooLarge = errors.New("the body is too large")

// Body reads one message's body: from memory, if it arrived whole with its head, else from a connection. It keeps the
// account of what is read. The zero value is a body without a byte. It is for one goroutine at a time.
//
// A Body does not hold its connection, which is given to each call: the same one for all of a body.
type Body struct {
	whole     []byte // what is left of a body that arrived with its head
	streamed  bool   // whole is not used, dec is
	byClose   bool   // only the connection's end ends it
	dec       http1.Body
	length    int64 // Content-Length, -1 if only its end tells
	read      int64 // bytes given out
	limit     int64 // most bytes that may be
	discarded int   // bytes of body and framing that were discarded
	err       error // what every further read says; io.EOF at the end
}

// Reset makes b a body without a byte. Later ones may have limit bytes; negative is no limit.
func (b *Body) Reset(limit int64) {
	b.whole, b.streamed, b.byClose, b.length, b.read, b.discarded, b.err = nil, false, false, 0, 0, 0, nil
	b.SetLimit(limit)
}

// SetLimit changes how many bytes may be read in all; negative is no limit.
func (b *Body) SetLimit(n int64) {
	if n < 0 {
		n = math.MaxInt64
	}
	b.limit = n
}

// Limit returns how many bytes may be read in all.
func (b *Body) Limit() int64 { return b.limit }

// StartWhole makes b, which has been reset, the body p that is here already. It borrows p.
func (b *Body) StartWhole(p []byte) {
	b.whole, b.length = p, int64(len(p))
}

// Start makes b, which has been reset, the body that a connection brings next, framed as f says (RFC 9112 §6.3).
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

// StartOpen makes b, which has been reset, the body that a Conn brings next and ends itself: that of a stream (RFC 9113
// §8.1). It has length bytes, -1 if only its end tells.
func (b *Body) StartOpen(length int64) {
	b.Start(http1.Framing{Delimiter: http1.ByClose}, http1.Limits{})
	b.length = length
}

// Streamed reports whether the body comes from the connection.
func (b *Body) Streamed() bool { return b.streamed }

// Held returns how many bytes of a body that arrived whole have not been read.
func (b *Body) Held() int { return len(b.whole) }

// Left returns how many bytes have not been read; negative if only the body's end tells.
func (b *Body) Left() int64 { return b.length - b.read }

// AtLeast returns how many bytes are left at the least: all of a known length, or the rest of the chunk in hand.
func (b *Body) AtLeast() int64 { return max(b.Left(), b.dec.Remaining()) }

// Ended reports whether the message's last byte has been taken from the connection, so that the next message can follow.
func (b *Body) Ended() bool { return !b.streamed || b.dec.Done() }

// Err returns what every further read says: io.EOF if a read has come to the end, nil if it may go on.
func (b *Body) Err() error { return b.err }

// Check is Err, which it sets to ErrTooLarge for a body whose Content-Length says that it is: before it is asked for.
func (b *Body) Check() error {
	if b.err == nil && b.length > b.limit {
		b.err = ErrTooLarge
	}
	return b.err
}

// Fail makes every further read say err, unless it says something already.
func (b *Body) Fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

var noTrailer shockwave.Header

// Trailer returns the trailer fields of a chunked body (RFC 9110 §6.5), when a read has said io.EOF; before, and without
// any, an empty list. It must not be changed, and is good until the next Start.
func (b *Body) Trailer() *shockwave.Header {
	if b.streamed && b.err == io.EOF {
		return b.dec.Trailer()
	}
	return &noTrailer
}

// Read reads at least one byte into p, waiting for it if need be. It fails with io.EOF at the end, ErrTooLarge beyond the
// limit, *http1.Error for a malformed body, io.ErrUnexpectedEOF if the connection ends too early (RFC 9112 §8), or as c
// does; and again and again with the same.
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

// ReadAll returns what is left of the body. One that arrived whole it returns as it is; else it reads into buf, or, if
// that is too small, into memory that grows with what arrives, never ahead of it. The error is nil at the end, and
// otherwise Read's; what no slice can hold is beyond every limit.
func (b *Body) ReadAll(c Conn, buf []byte) ([]byte, error) {
	if b.limit-b.read >= math.MaxInt {
		b.limit = b.read + math.MaxInt - 1 // the last byte of the slice shows that there is more
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
			b.err = io.EOF // known without another read, and without room for one
			break
		}
		buf = b.grow(buf)
		n, _ := b.readStream(c, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
	}
	return buf, b.failure()
}

// grow makes room in buf.
func (b *Body) grow(buf []byte) []byte {
	if len(buf) < cap(buf) {
		return buf
	}
	return append(make([]byte, 0, b.capacity(len(buf))), buf...)
}

// capacity is what a full buffer of so many bytes grows to: twice as much, but no more than a known length needs to come
// to its end, and than a slice can have.
func (b *Body) capacity(have int) int {
	size := max(4<<10, 2*int64(have))
	left := b.Left()
	if b.byClose {
		left++ // only another read tells the end
	}
	if b.length >= 0 && left < size-int64(have) {
		size = int64(have) + left
	}
	return int(min(size, math.MaxInt))
}

// failure is what went wrong, nil if nothing did.
func (b *Body) failure() error {
	if b.err == io.EOF {
		return nil
	}
	return b.err
}
