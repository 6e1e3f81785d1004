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
	digits  uint8 // number of digits of the chunk size
	left    int64 // bytes of data before the next framing
	extLeft int   // bytes that chunk extensions may still use
	credit  int64 // bytes that framing may still use; each byte of data increases it
	limits  Limits
	tail    []byte // the trailer section so far
	section head   // progress of parsing tail
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

// Start starts a body with framing f and limits l. Memory is reused from one body to the next.
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

// Next decodes from the start of b. data is a part of b and may be empty. n is the number of bytes of b that were
// taken, framing and data together. If data is empty and n is 0, more bytes are needed, or the body is Done. A call
// returns at most one run of data: call Next until n is 0 or the body is Done. After an error every call returns that
// error.
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

// nextChunked decodes framing up to the next run of data, and that run (RFC 9112 §7.1).
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

// dataEnd decodes one byte of the CRLF after a chunk's data.
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

// Remaining returns how many bytes of data come next without framing between them: the rest of a Content-Length body,
// or of the current chunk; 0 for a body that ends by close. The caller may take that many bytes from the connection
// itself and then call Skip.
func (d *Body) Remaining() int64 {
	if d.state == lengthData || d.state == chunkData {
		return d.left
	}
	return 0
}

// Skip tells d that the caller has taken n bytes of data itself. It panics if n is more than Remaining.
func (d *Body) Skip(n int64) {
	if n < 0 || n > d.Remaining() {
		panic("http1: Skip of more than Remaining")
	}
	d.left -= n
	if d.state == chunkData {
		// The credit must not overflow. After 2^58 bytes of data it need not grow any more.
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

// End is called when the connection has ended. It returns nil for a body that is Done or ends by close, otherwise
// io.ErrUnexpectedEOF, or the error of Next.
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

// Trailer returns the trailer fields of a chunked body, once Done is true. The list is valid until the next Start. It
// does not contain fields that are a ForbiddenTrailer.
func (d *Body) Trailer() *shockwave.Header { return &d.trailer }
