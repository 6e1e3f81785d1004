package http1

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
	r.reasonEnd = uint32(end)
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
	rest, status := b[versionSize:], 0
	if len(rest) > 0 && rest[0] != ' ' {
		return badLineEnd(rest[0], errVersion)
	}
	for i := 1; i <= 3 && i < len(rest); i++ {
		digit := uint(rest[i]) - '0' // large if the byte is less
		if status = status*10 + int(digit); digit > 9 || status == 0 {
			return errStatusCode
		}
	}
	if len(rest) <= 4 {
		return nil
	}
	if rest[4] != ' ' && rest[4] != '\r' {
		return badLineEnd(rest[4], errStatusCode)
	}
	if minor < 0 {
		return errMajor
	}
	r.Status = status
	r.Minor = min(minor, 1)
	r.head.pos, r.head.phase = reasonStart-1, inReason
	return nil
}

// reason returns the reason phrase of a head b whose status line has been read.
func (r *Response) reason(b []byte) []byte {
	end := int(r.reasonEnd)
	return b[min(reasonStart, end):end:end] // min: there may be no space after the code
}
