package http1

import (
	"bytes"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

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

// forbidden lists the names that a trailer must not have, grouped by the reasons of RFC 9110 §6.5.1. A recipient that
// merges them takes them after they were needed, or past a check that looked only at the head.
var forbidden = [...]string{
	"connection", "content-length", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", // framing
	"host",                                                       // routing
	"cache-control", "expect", "max-forwards", "pragma", "range", // controls
	"if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", // conditions
	"authorization", "cookie", "proxy-authenticate", "proxy-authorization", "set-cookie", "www-authenticate", // authentication
	"age", "date", "expires", "location", "retry-after", "vary", "warning", // meaning of a response
	"content-disposition", "content-encoding", "content-language", "content-location", "content-range", "content-type", // content
}

// ForbiddenTrailer reports whether a field must not be sent or merged as a trailer (RFC 9110 §6.5.1).
func ForbiddenTrailer(name []byte) bool {
	for _, f := range &forbidden {
		if ascii.EqualFold(name, f) {
			return true
		}
	}
	return false
}
