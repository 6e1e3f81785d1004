package http1

import "math"

// Limits are the limits of a head, and of the framing of a body. A zero field means its default, a negative one no
// limit.
type Limits struct {
	HeadBytes      int // request line or status line, fields and the empty line; default 64 KiB; larger: 431
	TargetBytes    int // request-target; default: half of HeadBytes (at least 8 KiB); longer: 414
	Fields         int // field lines of a head or of a trailer section; default 200; more: 431
	TrailerBytes   int // trailer section; default 8 KiB; larger: 431
	ExtensionBytes int // all chunk extensions of one body, and all its framing; default 16 KiB; more: 400
}

const (
	maxEmptyLines = 4   // before a request line (RFC 9112 §2.2 asks for at least one)
	maxMethod     = 128 // bytes; the longest registered method has 17
	maxSizeDigits = 16  // of a chunk size, leading zeros included

	// framingPerByte is how many bytes of chunk framing each byte of data allows. Framing beyond that counts against
	// Limits.ExtensionBytes, so that an endless run of padded chunks ends. A chunk of one byte needs 5.
	framingPerByte = 16
	freeFraming    = 64 // bytes of framing that a body without data may have, besides its extensions
)

// orDefault returns the limit that a field of Limits stands for. Spans are 32 bits wide, so no limit means 2 GiB.
func orDefault(n, def int) int {
	switch {
	case n == 0:
		return def
	case n < 0, n > math.MaxInt32:
		return math.MaxInt32
	}
	return n
}

func (l *Limits) head() int       { return orDefault(l.HeadBytes, 64<<10) }
func (l *Limits) target() int     { return orDefault(l.TargetBytes, max(l.head()/2, 8<<10)) }
func (l *Limits) fields() int     { return orDefault(l.Fields, 200) }
func (l *Limits) trailer() int    { return max(orDefault(l.TrailerBytes, 8<<10), len("\r\n")) }
func (l *Limits) extensions() int { return orDefault(l.ExtensionBytes, 16<<10) }
