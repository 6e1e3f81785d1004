package http1

import (
	"math"

	"github.com/shockwave-go/shockwave/internal/ascii"
)

// startSize prepares for the line of the next chunk's size.
func (d *Body) startSize() {
	d.state, d.digits, d.left = sizeFirst, 0, 0
}

// spend takes n bytes of framing from what the body may still use.
func (d *Body) spend(n int) *Error {
	if d.credit -= int64(n); d.credit < 0 {
		return errOverhead
	}
	return nil
}

// sizeLine reads from chunk-size [ chunk-ext ] CRLF (RFC 9112 §7.1). It takes bytes until the line or b ends.
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

// sizeByte reads 1*HEXDIG and what ends it: no sign, no "0x", no white space (RFC 9112 §7.1).
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
		return d.extension(extName)
	default:
		return badLineEnd(c, errChunkLine)
	}
	return nil
}

// endSize goes on with what the size line announced.
func (d *Body) endSize() {
	if d.left > 0 {
		d.state = chunkData
		return
	}
	d.state = trailerLines
}

// extension enters state with one more byte of extensions.
func (d *Body) extension(state bodyState) *Error {
	if d.extLeft--; d.extLeft < 0 {
		return errExtSize
	}
	d.state = state
	return nil
}

// extensionByte reads a byte of *( ";" BWS name [ BWS "=" BWS value ] ) CR (RFC 9112 §7.1.1). Extensions mean nothing
// here; their grammar is checked so that no other reader can see another end of the line.
func (d *Body) extensionByte(c byte) *Error {
	token, space := ascii.Is(c, ascii.Token), c == ' ' || c == '\t'
	switch d.state {
	case extName:
		if space {
			return d.extension(extName)
		}
		if token {
			return d.extension(extNameMore)
		}
	case extNameMore, extNameEnd:
		switch {
		case c == '=':
			return d.extension(extValue)
		case space:
			return d.extension(extNameEnd)
		case d.state == extNameEnd:
		case token:
			return d.extension(extNameMore)
		default:
			return d.extensionEnd(c)
		}
	case extValue:
		switch {
		case space:
			return d.extension(extValue)
		case c == '"':
			return d.extension(extQuoted)
		case token:
			return d.extension(extToken)
		}
	case extToken:
		if token {
			return d.extension(extToken)
		}
		return d.extensionEnd(c)
	case extQuoted, extEscape:
		return d.quotedByte(c)
	case extQuotedEnd:
		return d.extensionEnd(c)
	}
	return badExtension(c)
}

// quotedByte reads a byte of a quoted-string after its first quote (RFC 9110 §5.6.4).
func (d *Body) quotedByte(c byte) *Error {
	switch {
	case !ascii.Is(c, ascii.Value):
		return badExtension(c)
	case d.state == extEscape:
		return d.extension(extQuoted)
	case c == '\\':
		return d.extension(extEscape)
	case c == '"':
		return d.extension(extQuotedEnd)
	}
	return d.extension(extQuoted)
}

// extensionEnd reads the byte after a whole extension.
func (d *Body) extensionEnd(c byte) *Error {
	switch c {
	case ';':
		return d.extension(extName)
	case '\r':
		d.state = sizeLF
		return nil
	}
	return badExtension(c)
}

// badExtension returns the rule that c breaks where it ends an extension too early.
func badExtension(c byte) *Error {
	if c == '\n' {
		return errBareLF
	}
	return errChunkExt
}
