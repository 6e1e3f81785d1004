package http1

import "github.com/shockwave-go/shockwave/internal/ascii"

// fieldLine holds the positions in a field line. Its name begins at the index that was passed to scanField.
type fieldLine struct {
	nameEnd              int // 0: the name is incomplete
	valueStart, valueEnd int
	next                 int // first byte after the line; 0: the line is incomplete
}

// scanField reads the field line that starts at b[i]: field-name ":" OWS field-value OWS CRLF (RFC 9112 §5). It reads
// from left to right and stops at the first bad byte, so that the result does not depend on how much of b arrived at a
// time.
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

// badName returns the error for the byte b[at], where the name that begins at b[i] ends without a colon or is empty. It
// returns nil if more bytes are needed to tell.
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
		return nil // the next byte decides which error it is
	case c == '\r' && b[at+1] == '\n':
		return errNoColon
	default:
		return badLineEnd(c, errName)
	}
}

// badLineEnd returns the error for the byte c: one about line ends, or otherwise.
func badLineEnd(c byte, otherwise *Error) *Error {
	switch c {
	case '\r':
		return errBareCR
	case '\n':
		return errBareLF
	}
	return otherwise
}

// ValidToken reports whether s is a token (RFC 9110 §5.6.2). Methods and field names must be tokens.
func ValidToken(s []byte) bool { return len(s) > 0 && ascii.All(s, ascii.Token) }

// ValidFieldValue reports whether s may be a field value: it must hold no control byte other than HTAB (RFC 9110 §5.5).
func ValidFieldValue(s []byte) bool { return indexControl(s, 0) == len(s) }
