package http1

import (
	"math"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// startSize prepares for the size line of the next chunk.
func (d *Body) startSize() {
	d.state, d.digits, d.left = sizeFirst, 0, 0
}

// spend counts n bytes of framing against the credit.
func (d *Body) spend(n int) *Error {
	if d.credit -= int64(n); d.credit < 0 {
		return errOverhead
	}
	return nil
}

// sizeLine decodes chunk-size [ chunk-ext ] CRLF (RFC 9112 §7.1). It takes bytes until the line or b ends.
func (d *Body) sizeLine(b []byte) (n int, err *Error) {
	for i, c := range b {
		switch {
		case d.state <= sizeMore:
			err = d.sizeByte(c)
		case d.state == sizeLF:
			if c != '\n' {
				err = errBareCR
				break
			}
			d.endSize()
		default:
			err = d.extensionByte(c)
		}
		if err == nil {
			err = d.spend(1)
		}
		if err != nil || d.state < sizeFirst {
			return i + 1, err
		}
	}
	return len(b), nil
}

// sizeByte decodes a byte of 1*HEXDIG, or the byte after it. A sign and "0x" are refused, and white space is accepted
// only before extensions (RFC 9112 §7.1).
func (d *Body) sizeByte(c byte) *Error {
	if v, ok := ascii.HexValue(c); ok {
		if d.digits++; d.digits > maxSizeDigits || d.left > math.MaxInt64>>4 {
			return errChunkHuge
		}
		d.left = d.left<<4 | int64(v)
		d.state = sizeMore
		return nil
	}
	switch {
	case d.state == sizeFirst:
		return errChunkSize
	case c == '\r':
		d.state = sizeLF
	case c == ';':
		return d.extend(extName)
	case c == ' ', c == '\t':
		return d.extend(extBlank)
	default:
		return badLineEnd(c, errChunkLine)
	}
	return nil
}

// endSize enters the state after the size line: data, or the trailer section after size 0.
func (d *Body) endSize() {
	if d.left > 0 {
		d.state = chunkData
		return
	}
	d.state = trailerLines
}
