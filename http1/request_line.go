package http1

import "github.com/shockwave-go/shockwave/internal/wire/ascii"

// requestLine reads method SP request-target SP HTTP-version CRLF (RFC 9112 §3) as far as b goes. h.phase records the
// progress. Each part is checked when it is complete, and then the next one is read. The target is split last, because
// its form depends on the version.
func (r *Request) requestLine(b []byte) *Error {
	switch r.head.phase {
	case atStart:
		return nil
	case inMethod:
		return r.readMethod(b)
	case inTarget:
		return r.readTarget(b)
	}
	return r.readVersion(b)
}

// skipEmptyLines finds the first byte of the request line. A server should ignore at least one CRLF before it (RFC 9112
// §2.2), which old clients sent after a body.
func (r *Request) skipEmptyLines(b []byte) *Error {
	for r.skipped < len(b) {
		switch b[r.skipped] {
		case '\n':
			return errBareLF
		case '\r':
			if r.skipped+1 == len(b) {
				return nil
			}
			if b[r.skipped+1] != '\n' {
				return errBareCR
			}
			if r.skipped += 2; r.skipped > 2*maxEmptyLines {
				return errEmptyLines
			}
		default:
			r.head.phase = inMethod
			return nil
		}
	}
	return nil
}

// readMethod reads a token and the space after it. It starts again when more bytes have arrived, which is cheap because
// of maxMethod.
func (r *Request) readMethod(b []byte) *Error {
	h := &r.head
	end := ascii.Span(b[:min(len(b), maxMethod+1)], 0, ascii.Token)
	switch {
	case end > maxMethod:
		// RFC 9112 §3: a method longer than any that is implemented gets a 501.
		return errMethodSize
	case end == len(b):
		return nil
	case b[end] != ' ' || end == 0:
		return errMethod
	}
	r.methodEnd = end
	h.pos, h.seen, h.phase = end+1, end+1, inTarget
	return r.readTarget(b)
}

// readTarget reads the request-target and the space after it.
func (r *Request) readTarget(b []byte) *Error {
	h := &r.head
	end := indexTargetEnd(b, h.seen)
	if end-h.pos > r.Limits.target() {
		return errTargetSize
	}
	if end == len(b) {
		h.seen = end
		return nil
	}
	switch b[end] {
	case ' ':
		if end == h.pos {
			return errTargetEmpty
		}
	case '#':
		return errFragment
	case '\r', '\n':
		return errNoVersion // this is where a request of HTTP/0.9 ends
	default:
		return errTargetByte
	}
	r.targetEnd = end
	h.pos, h.phase = end+1, inVersion
	return r.readVersion(b)
}

// readVersion reads HTTP-version and the end of the line, and splits the target.
func (r *Request) readVersion(b []byte) *Error {
	h := &r.head
	v := b[h.pos:]
	minor, whole, err := scanVersion(v)
	if err != nil {
		return err
	}
	switch {
	case !whole || len(v) == versionSize:
		return nil
	case v[versionSize] == '\n' && minor == 0 && r.tunnelsToPath(b):
		return r.endOpening(b)
	case v[versionSize] != '\r':
		return badLineEnd(v[versionSize], errVersionTail)
	case len(v) == versionSize+1:
		return nil
	case v[versionSize+1] != '\n':
		return errBareCR
	case minor < 0:
		return errMajor
	}
	r.Minor = min(minor, 1)
	h.pos += versionSize + 2
	h.seen, h.phase = h.pos, inFields
	return r.splitTarget(b)
}

// tunnelsToPath reports whether the request is a CONNECT to a path and r allows that. It has been read up to its
// version.
func (r *Request) tunnelsToPath(b []byte) bool {
	return r.TunnelPaths && string(b[:r.methodEnd]) == "CONNECT" && b[r.methodEnd+1] == '/'
}

// endOpening reads the two line feeds after the version that end the request of a net/rpc client.
func (r *Request) endOpening(b []byte) *Error {
	h := &r.head
	end := h.pos + versionSize + len("\n\n")
	switch {
	case len(b) < end:
		return nil
	case b[end-1] != '\n':
		return errBareLF
	}
	r.Minor = 0
	h.pos, h.phase = end, headIsRead
	return r.splitTarget(b)
}
