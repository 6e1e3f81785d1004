package http1

import (
	"io"

	"github.com/shockwave-go/shockwave"
)

// Body decodes a message body of any Framing. The zero value is a body that has ended.
//
//	        ┌──────────────── chunks ────────────────┐
//	size ─► extensions ─► LF ─► data ─► CR ─► LF ─► size …
//	                       └─ size 0 ─► trailer lines ─► ended
type Body struct {
	state   bodyState
	digits  uint8 // of the chunk size
	left    int64 // data bytes before the next framing
	extLeft int   // bytes that chunk extensions may still take
	credit  int64 // bytes that framing may still take; every byte of data adds to it
	limits  Limits
	tail    []byte // the trailer section so far
	section head   // how far tail has been read
	trailer shockwave.Header
	err     *Error
}

type bodyState uint8

const (
	bodyEnded bodyState = iota
	bodyFailed
	lengthData
	closeData
	chunkData
	chunkDataCR // after the data
	chunkDataLF
	trailerLines
	sizeFirst // from here on: the states of a size line, see chunk_line.go
	sizeMore
	extName // and of its extensions, see chunk_ext.go
	extNameMore
	extNameEnd // white space after a name: "=" or the next ";" follows
	extValue
	extToken
	extQuoted
	extEscape
	extQuotedEnd
	extBlank // white space after the size or a value: the next ";" follows
	sizeLF
)

// Start prepares for a body of framing f under limits l. Memory is kept from one body to the next.
func (d *Body) Start(f Framing, l Limits) {
	d.trailer.Reset()
	d.tail = d.tail[:0]
	d.section = head{isTrailer: true}
	d.left, d.err, d.limits = 0, nil, l
	switch f.Delimiter {
	case ByLength:
		d.state, d.left = lengthData, f.Length
		if f.Length <= 0 {
			d.state = bodyEnded
		}
	case ByChunks:
		d.startSize()
		d.extLeft = l.extensions()
		d.credit = int64(d.extLeft) + freeFraming
	case ByClose:
		d.state = closeData
	default:
		d.state = bodyEnded
	}
}

// Next decodes from the start of b. data is a part of b and may be empty; n is how many bytes of b were taken,
// framing and data together. data empty and n == 0 means that more bytes are needed, or that Done is true.
// One call gives out at most one run of data; call until n is 0 or Done. After an error every call returns it again.
func (d *Body) Next(b []byte) (data []byte, n int, err error) {
	switch d.state {
	case bodyEnded:
		return nil, 0, nil
	case lengthData:
		n = int(min(int64(len(b)), d.left))
		d.Skip(int64(n))
		return b[:n:n], n, nil
	case closeData:
		return b, len(b), nil
	case bodyFailed:
		return nil, 0, d.err
	}
	data, n, e := d.nextChunked(b)
	if e != nil {
		d.state, d.err = bodyFailed, e
		return nil, n, e
	}
	return data, n, nil
}

// nextChunked decodes framing up to the next run of data and that run (RFC 9112 §7.1).
func (d *Body) nextChunked(b []byte) (data []byte, n int, err *Error) {
	for n < len(b) && err == nil {
		took := 1
		switch d.state {
		case bodyEnded:
			return nil, n, nil
		case chunkData:
			run := int(min(int64(len(b)-n), d.left))
			d.Skip(int64(run))
			return b[n : n+run : n+run], n + run, nil
		case chunkDataCR, chunkDataLF:
			err = d.dataEnd(b[n])
		case trailerLines:
			took, err = d.takeTrailer(b[n:])
		default:
			took, err = d.sizeLine(b[n:])
		}
		n += took
	}
	return nil, n, err
}

// dataEnd takes one byte of the CRLF after a chunk's data.
func (d *Body) dataEnd(c byte) *Error {
	switch {
	case d.state == chunkDataCR && c == '\r':
		d.state = chunkDataLF
	case d.state == chunkDataLF && c == '\n':
		d.startSize()
	default:
		return errChunkEnd
	}
	return d.spend(1)
}

// Done reports whether the body and its trailers have ended.
func (d *Body) Done() bool { return d.state == bodyEnded }

// Remaining returns how many bytes of data are known to come without framing between them: what is left of a
// Content-Length body, or of the current chunk; 0 for a body that ends by close. A reader may take that many from the
// connection directly and say so with Skip.
func (d *Body) Remaining() int64 {
	if d.state == lengthData || d.state == chunkData {
		return d.left
	}
	return 0
}

// Skip says that n bytes of data, no more than Remaining, were taken elsewhere. It panics when there are fewer.
func (d *Body) Skip(n int64) {
	if n < 0 || n > d.Remaining() {
		panic("http1: Skip of more than Remaining")
	}
	d.left -= n
	if d.state == chunkData {
		// A body of 2^58 bytes has long paid for its framing.
		d.credit += framingPerByte * min(n, (1<<62-d.credit)/framingPerByte)
	}
	switch {
	case d.left > 0:
	case d.state == lengthData:
		d.state = bodyEnded
	case d.state == chunkData:
		d.state = chunkDataCR
	}
}

// End says that the connection ended: nil for a body that is Done or ends by close, else io.ErrUnexpectedEOF, or what
// Next refused the body with.
func (d *Body) End() error {
	switch d.state {
	case closeData:
		d.state = bodyEnded
	case bodyFailed:
		return d.err
	}
	if d.state == bodyEnded {
		return nil
	}
	return io.ErrUnexpectedEOF
}

// Trailer holds the trailer fields of a chunked body once Done is true; it owns its bytes, until the next Start. Fields
// that ForbiddenTrailer names are not among them.
func (d *Body) Trailer() *shockwave.Header { return &d.trailer }
