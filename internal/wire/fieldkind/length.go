package fieldkind

import "math"

// Length is what the Content-Length lines of a message say together: a number of bytes, or one of the constants.
type Length int64

const (
	NoLength  Length = -1 // there is no line
	BadLength Length = -2 // a value is not a number, or two differ (RFC 9112 §6.3)
)

// And returns what l and one more line with this value say.
func And[S ~string | ~[]byte](l Length, value S) Length {
	n := parseLength(value)
	switch {
	case l == BadLength, n < 0, l >= 0 && n != l:
		return BadLength
	}
	return n
}

// Bytes returns the number of bytes, -1 if there is none.
func (l Length) Bytes() int64 { return int64(max(l, NoLength)) }

// parseLength parses 1*DIGIT (RFC 9110 §8.6). It returns BadLength if v is anything else, or too large.
func parseLength[S ~string | ~[]byte](v S) (n Length) {
	if len(v) == 0 {
		return BadLength
	}
	for i := range len(v) {
		c := v[i]
		digit := Length(c - '0')
		if c < '0' || c > '9' || n > (math.MaxInt64-digit)/10 {
			return BadLength
		}
		n = n*10 + digit
	}
	return n
}
