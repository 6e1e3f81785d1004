package params

import (
	"bytes"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// Cookies yields the cookies of one Cookie field. It reports whether the iteration goes on.
func Cookies(line []byte, yield func(name, value []byte) bool) bool {
	for len(line) > 0 {
		var pair []byte
		pair, line, _ = bytes.Cut(line, semicolon)
		name, value, _ := bytes.Cut(ascii.TrimOWS(pair), equals)
		name = ascii.TrimOWS(name)
		value, ok := cookieValue(value)
		if ok && len(name) > 0 && ascii.All(name, ascii.Token) && !yield(name, value) {
			return false
		}
	}
	return true
}

// cookieValue returns a value without its quotes. ok is false if it holds a byte that is not a cookie-octet (RFC 6265
// §4.1.1). Spaces and commas are accepted, because many clients send them.
func cookieValue(v []byte) ([]byte, bool) {
	if len(v) > 1 && v[0] == '"' && v[len(v)-1] == '"' {
		v = v[1 : len(v)-1]
	}
	for _, c := range v {
		if c < ' ' || c >= 0x7f || c == '"' || c == ';' || c == '\\' {
			return nil, false
		}
	}
	if v == nil {
		v = nothing
	}
	return v, true
}
