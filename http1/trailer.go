package http1

import "bytes"

// takeTrailer takes bytes of the trailer section up to the end of a line (RFC 9112 §7.1.2). It copies lines to memory
// of d's own, because the caller's bytes are gone once they are taken.
func (d *Body) takeTrailer(b []byte) (n int, err *Error) {
	if len(d.tail) == 0 && len(b) >= 2 && b[0] == '\r' && b[1] == '\n' {
		d.state = bodyEnded
		return 2, nil
	}
	n = bytes.IndexByte(b, '\n') + 1
	if n == 0 {
		n = len(b)
	}
	// Bytes beyond the limit are not read, as in a head.
	limit := d.limits.trailer()
	n = min(n, limit-len(d.tail))
	d.tail = append(d.tail, b[:n]...)
	end, err := d.section.fields(d.tail, d.limits.fields(), &d.trailer, nil)
	d.trailer.Rebase(d.tail)
	switch {
	case err != nil:
		return n, err
	case end > 0:
		d.state = bodyEnded
	case len(d.tail) == limit:
		return n, errTrailerSize
	}
	return n, nil
}
