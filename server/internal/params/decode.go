// Package params reads what requests carry as text: parameters of queries and forms, cookies, escapes of paths.
package params

import (
	"bytes"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// Decoder decodes escapes, and owns the memory of what it has decoded: the slices that it returns are valid until Reset.
type Decoder struct{ buf []byte }

// Reset forgets what was decoded. Memory of more than keep bytes is released.
func (d *Decoder) Reset(keep int) {
	d.buf = d.buf[:0]
	if cap(d.buf) > keep {
		d.buf = nil
	}
}

// Size returns the bytes of memory that d holds.
func (d *Decoder) Size() int { return cap(d.buf) }

var nothing = []byte{}

// Decode decodes the percent-encoded bytes of s (RFC 3986 §2.1). If plus is true it also decodes plus signs as spaces,
// as in HTML forms. ok is false if an escape is malformed. The result is never nil. It is s itself if there is nothing
// to decode, otherwise it points into d.buf.
func (d *Decoder) Decode(s []byte, plus bool) (decoded []byte, ok bool) {
	if bytes.IndexByte(s, '%') < 0 && (!plus || bytes.IndexByte(s, '+') < 0) {
		if s == nil {
			s = nothing
		}
		return s, true
	}
	start := len(d.buf) // slices returned earlier stay valid, also when append moves d.buf
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '+' && plus:
			c = ' '
		case c == '%':
			if i+2 >= len(s) || !ascii.Is(s[i+1], ascii.Hex) || !ascii.Is(s[i+2], ascii.Hex) {
				d.buf = d.buf[:start]
				return nil, false
			}
			high, _ := ascii.HexValue(s[i+1])
			low, _ := ascii.HexValue(s[i+2])
			c = high<<4 | low
			i += 2
		}
		d.buf = append(d.buf, c)
	}
	end := len(d.buf)
	return d.buf[start:end:end], true
}
