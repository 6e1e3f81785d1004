package http1

import (
	"github.com/shockwave-go/shockwave"
)

// fields reads field lines up to the empty line and appends them to list, as spans of b. It returns the length of
// the head, 0 if more bytes are needed. Host lines are recorded in host, which is nil for a response.
//
// A line is field-name ":" OWS field-value OWS CRLF (RFC 9112 §5). It is read from left to right up to the first bad
// byte, so that the result does not depend on how much of b arrived at a time.
func (h *head) fields(b []byte, max int, list *shockwave.Header, host *hostField) (int, *Error) {
	if !h.resume(b) {
		return 0, nil
	}
	b = b[:len(b):len(b)] // the loop has one value less to keep
	for pos := h.pos; pos < len(b) && b[pos] != '\r'; pos = h.pos {
		if h.lines >= max {
			return 0, errFieldCount
		}
		colon := indexNameEnd(b, pos)
		if colon >= len(b) || b[colon] != ':' || colon == pos {
			return 0, h.noName(b, colon)
		}
		start := colon + 1
		for start < len(b) && (b[start] == ' ' || b[start] == '\t') {
			start++
		}
		cr := indexControl(b, start)
		if cr > len(b)-2 || string(b[cr:cr+2]) != "\r\n" {
			return 0, h.noEnd(b, cr)
		}
		end := cr
		for end > start && (b[end-1] == ' ' || b[end-1] == '\t') {
			end--
		}
		line := shockwave.Line{
			Name:  shockwave.Span{Start: uint32(pos), End: uint32(colon)},
			Value: shockwave.Span{Start: uint32(start), End: uint32(end)},
		}
		h.pos = cr + 2
		h.lines++
		if h.isTrailer {
			if !ForbiddenTrailer(b[pos:colon]) {
				list.Append(line)
			}
			continue
		}
		list.Append(line)
		var err *Error
		if host != nil && colon-pos == len("host") {
			err = host.record(b, line)
		} else {
			err = h.facts.record(b, line)
		}
		if err != nil {
			return 0, err
		}
	}
	return h.emptyLine(b)
}

// emptyLine reads the CRLF at h.pos that ends a head.
func (h *head) emptyLine(b []byte) (int, *Error) {
	switch {
	case h.pos+1 >= len(b):
		h.wait(b, true)
		return 0, nil
	case b[h.pos+1] != '\n':
		return 0, errBareCR
	}
	h.phase = headIsRead
	return h.pos + 2, nil
}

// noName returns the error for a line at h.pos whose name ends at b[at] without a colon or is empty. It returns nil if
// more bytes are needed to tell.
func (h *head) noName(b []byte, at int) *Error {
	if at < len(b) {
		if err := badName(b, h.pos, at); err != nil {
			return err
		}
	}
	h.wait(b, true)
	return nil
}

// noEnd returns the error for a line at h.pos whose value ends at b[at] without CRLF. It returns nil if more bytes are
// needed to tell.
func (h *head) noEnd(b []byte, at int) *Error {
	if at == len(b) || b[at] == '\r' && at+1 == len(b) {
		h.wait(b, false)
		return nil
	}
	return badLineEnd(b[at], errValue)
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
