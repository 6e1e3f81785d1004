package http1

import (
	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/ascii"
)

// field reads the field line at h.pos: field-name ":" OWS field-value OWS CRLF (RFC 9112 §5). It reads from left to
// right and stops at the first bad byte, so that the result does not depend on how much of b arrived at a time. whole is
// false if the line is incomplete or bad.
func (h *head) field(b []byte, list *shockwave.Header, host *hostField) (whole bool, err *Error) {
	colon := indexNameEnd(b, h.pos)
	if colon == len(b) {
		h.wait(b, true)
		return false, nil
	}
	if b[colon] != ':' || colon == h.pos {
		if err = badName(b, h.pos, colon); err == nil {
			h.wait(b, true)
		}
		return false, err
	}
	start := colon + 1
	for start < len(b) && (b[start] == ' ' || b[start] == '\t') {
		start++
	}
	cr := indexControl(b, start)
	if cr+1 >= len(b) && (cr == len(b) || b[cr] == '\r') {
		h.wait(b, false)
		return false, nil
	}
	if b[cr] != '\r' || b[cr+1] != '\n' {
		return false, badLineEnd(b[cr], errValue)
	}
	end := cr
	for end > start && (b[end-1] == ' ' || b[end-1] == '\t') {
		end--
	}
	line := shockwave.Line{
		Name:  shockwave.Span{Start: uint32(h.pos - h.start), End: uint32(colon - h.start)},
		Value: shockwave.Span{Start: uint32(start - h.start), End: uint32(end - h.start)},
	}
	name, value := b[h.pos:colon:colon], b[start:end:end]
	h.pos = cr + 2
	h.lines++
	if h.isTrailer {
		if !ForbiddenTrailer(name) {
			list.Append(line)
		}
		return true, nil
	}
	list.Append(line)
	if host != nil && len(name) == len("host") {
		err = host.record(name, value, line.Value)
	} else {
		err = h.facts.record(name, value)
	}
	return err == nil, err
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
