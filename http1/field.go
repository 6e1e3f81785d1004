package http1

import "github.com/shockwave-go/shockwave/internal/ascii"

// fieldLine is where a field line stands: its name begins at the index that scanField was given.
type fieldLine struct {
	nameEnd              int // 0: the name is not whole
	valueStart, valueEnd int
	next                 int // first byte after the line; 0: the line is not whole
}

// scanField reads the field line that starts at b[i]: field-name ":" OWS field-value OWS CRLF (RFC 9112 §5). It looks
// at bytes from left to right and decides on the first bad one, so that how b grew does not change the answer.
func scanField(b []byte, i int) (l fieldLine, err *Error) {
	colon := ascii.Span(b, i, ascii.Token)
	if colon == len(b) {
		return l, nil
	}
	if b[colon] != ':' || colon == i {
		return l, badName(b, i, colon)
	}
	start := colon + 1
	for start < len(b) && (b[start] == ' ' || b[start] == '\t') {
		start++
	}
	cr := indexControl(b, start)
	if cr+1 >= len(b) && (cr == len(b) || b[cr] == '\r') {
		return fieldLine{nameEnd: colon}, nil
	}
	if b[cr] != '\r' || b[cr+1] != '\n' {
		return l, badLineEnd(b[cr], errValue)
	}
	end := cr
	for end > start && (b[end-1] == ' ' || b[end-1] == '\t') {
		end--
	}
	return fieldLine{colon, start, end, cr + 2}, nil
}

// badName names the rule that is broken at b[at], where the name that began at b[i] ends without a colon or is empty.
func badName(b []byte, i, at int) *Error {
	switch c := b[at]; {
	case c == ':':
		return errNameEmpty
	case c == ' ' || c == '\t':
		if at == i {
			return errFold
		}
		return errSpaceColon
	case c == '\r' && at+1 == len(b):
		return nil // a line feed or something else follows: both are wrong, but not in the same way
	case c == '\r' && b[at+1] == '\n':
		return errNoColon
	default:
		return badLineEnd(c, errName)
	}
}

// badLineEnd returns the rule that c breaks: one about line ends, or otherwise.
func badLineEnd(c byte, otherwise *Error) *Error {
	switch c {
	case '\r':
		return errBareCR
	case '\n':
		return errBareLF
	}
	return otherwise
}

// ValidToken reports whether s is a token (RFC 9110 §5.6.2), as methods and field names are.
func ValidToken(s []byte) bool { return len(s) > 0 && ascii.All(s, ascii.Token) }

// ValidFieldValue reports whether s holds only what a field value may hold: no control byte other than HTAB (RFC 9110
// §5.5).
func ValidFieldValue(s []byte) bool { return indexControl(s, 0) == len(s) }
