package params

import "bytes"

var (
	ampersand = []byte("&")
	equals    = []byte("=")
	semicolon = []byte(";")
)

// Values yields the names and values of raw, a query or a form, decoded by d. A malformed parameter (a bad escape, a
// semicolon) is skipped, as in net/url.
func Values(d *Decoder, raw []byte, yield func(name, value []byte) bool) {
	for rest := raw; len(rest) > 0; {
		var pair []byte
		pair, rest, _ = bytes.Cut(rest, ampersand)
		if len(pair) == 0 || bytes.IndexByte(pair, ';') >= 0 {
			continue
		}
		name, value, _ := bytes.Cut(pair, equals)
		name, ok := d.Decode(name, true)
		if !ok {
			continue
		}
		if value, ok = d.Decode(value, true); ok && !yield(name, value) {
			return
		}
	}
}
