package http1

import (
	"bytes"

	"github.com/shockwave-go/shockwave/internal/ascii"
)

// reasonStart is the index of the reason phrase in a status line: after "HTTP/1.1 200 ".
const reasonStart = versionSize + len(" 200 ")

// statusLine reads HTTP-version SP status-code SP [ reason-phrase ] CRLF (RFC 9112 §4). Nothing may come before it.
func (r *Response) statusLine(b []byte) *Error {
	h := &r.head
	if h.phase == atStart {
		if err := r.readStatus(b); err != nil || h.phase == atStart {
			return err
		}
	}
	if !h.resume(b) {
		return nil
	}
	end := indexControl(b, h.pos)
	if end+1 >= len(b) && (end == len(b) || b[end] == '\r') {
		h.wait(b, false)
		return nil
	}
	if b[end] != '\r' || b[end+1] != '\n' {
		return badLineEnd(b[end], errReason)
	}
	h.pos = end + 2
	h.seen, h.phase = h.pos, inFields
	return nil
}

// readStatus reads version and code. The space after the code is required, but many servers omit it together with the
// reason phrase. That is accepted, because it is not ambiguous.
func (r *Response) readStatus(b []byte) *Error {
	minor, whole, err := scanVersion(b)
	if err != nil || !whole {
		return err
	}
	for i, c := range b[versionSize:min(len(b), reasonStart)] {
		switch i {
		case 0:
			if c != ' ' {
				return badLineEnd(c, errVersion)
			}
		case 1, 2, 3:
			if !ascii.Is(c, ascii.Digit) || i == 1 && c == '0' {
				return errStatusCode
			}
		case 4:
			if c != ' ' && c != '\r' {
				return badLineEnd(c, errStatusCode)
			}
		}
	}
	if len(b) < reasonStart {
		return nil
	}
	if minor < 0 {
		return errMajor
	}
	code := b[versionSize+1:]
	r.Status = int(code[0]-'0')*100 + int(code[1]-'0')*10 + int(code[2]-'0')
	r.Minor = min(minor, 1)
	r.head.pos, r.head.phase = reasonStart-1, inReason
	return nil
}

// trimReason returns the reason phrase of a head b whose status line has been read.
func trimReason(b []byte) []byte {
	start := reasonStart
	if b[start-1] == '\r' {
		start--
	}
	end := start + bytes.IndexByte(b[start:], '\r')
	return b[start:end:end]
}
