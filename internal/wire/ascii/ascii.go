// Package ascii classifies bytes by HTTP's grammar and compares ASCII letters without regard to case.
package ascii

// Class is a set of character classes.
type Class uint8

const (
	Token   Class = 1 << iota // tchar (RFC 9110 §5.6.2)
	Digit                     // DIGIT
	Hex                       // HEXDIG
	RegName                   // unreserved and sub-delims (RFC 3986 §2.2, §2.3): the bytes of a registered name except "%"
	Target                    // a byte that a request-target may contain; see docs/wire/http1.md
	Value                     // field-vchar, SP and HTAB (RFC 9110 §5.5)
)

// classes holds the classes of each byte. It is filled by init with the grammar's definitions, so that it is easy to
// check.
var classes [256]Class

func init() {
	mark := func(class Class, set string) {
		for i := range len(set) {
			classes[set[i]] |= class
		}
	}
	const (
		digits  = "0123456789"
		letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	)
	mark(Token, digits+letters+"!#$%&'*+-.^_`|~")
	mark(Digit, digits)
	mark(Hex, digits+"abcdefABCDEF")
	mark(RegName, digits+letters+"-._~"+"!$&'()*+,;=")
	for c := range 256 {
		if c > ' ' && c < 0x7f && c != '#' {
			classes[c] |= Target
		}
		if c >= ' ' && c != 0x7f || c == '\t' {
			classes[c] |= Value
		}
	}
}

// Is reports whether c is in class.
func Is(c byte, class Class) bool { return classes[c]&class != 0 }

// All reports whether every byte of s is in class. It is true for an empty s.
func All(s []byte, class Class) bool { return Span(s, 0, class) == len(s) }

// Span returns the index of the first byte of s at i or later that is not in class, or len(s) if there is none.
func Span(s []byte, i int, class Class) int {
	for uint(i) < uint(len(s)) && classes[s[i]]&class != 0 { // unsigned: then the compiler needs no check of the bounds
		i++
	}
	return i
}

// Lower returns c in lower case if it is an ASCII letter, otherwise c.
func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// EqualFold reports whether a equals lower without regard to the case of ASCII letters. lower must not contain
// capitals.
func EqualFold[S ~string | ~[]byte](a S, lower string) bool {
	if len(a) != len(lower) {
		return false
	}
	for i := range len(a) {
		if a[i] != lower[i] && Lower(a[i]) != lower[i] {
			return false
		}
	}
	return true
}

// HexValue returns the value of a hexadecimal digit. ok is false if c is not one.
func HexValue(c byte) (v byte, ok bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// TrimOWS returns s without leading and trailing spaces and tabs (OWS, RFC 9110 §5.6.3).
func TrimOWS[S ~string | ~[]byte](s S) S {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}
