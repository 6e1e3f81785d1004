package http2

import (
	"slices"
	"unsafe"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// facts are the properties of a head that the checks need and Head does not hold.
type facts struct {
	host           string
	hosts          int
	priority       string
	lengths        int
	knownAuthority string // an authority that was found valid before: most requests of a connection have the same
}

// readRequest checks a request's fields and fills h (RFC 9113 §8.3.1).
func (h *Head) readRequest(fields []Field, connectProtocol bool, f *facts) *Error {
	*h = Head{ContentLength: -1}
	n, seen := 0, pseudo(0)
	for ; n < len(fields) && isPseudo(fields[n].Name); n++ {
		p, target := h.pseudoOf(fields[n].Name)
		if target == nil {
			return errPseudoUnknown
		}
		if seen&p != 0 {
			return errPseudoTwice
		}
		seen |= p
		*target = fields[n].Value
	}
	h.Fields = fields[n:]
	if err := h.readFields(f); err != nil {
		return err
	}
	return h.checkRequest(seen, connectProtocol, f)
}

// readResponse checks a response's fields and fills h (RFC 9113 §8.3.2).
func (h *Head) readResponse(fields []Field) *Error {
	*h = Head{ContentLength: -1}
	switch {
	case len(fields) == 0 || !isPseudo(fields[0].Name):
		return errPseudoMissing
	case fields[0].Name != ":status":
		return errPseudoUnknown
	}
	v := fields[0].Value
	if len(v) != 3 || v[0] < '1' || v[0] > '9' || !ascii.Is(v[1], ascii.Digit) || !ascii.Is(v[2], ascii.Digit) {
		return errStatus
	}
	h.Status = int(v[0]-'0')*100 + int(v[1]-'0')*10 + int(v[2]-'0')
	if h.Status == 101 {
		return errSwitching
	}
	if len(fields) > 1 && isPseudo(fields[1].Name) {
		if fields[1].Name == ":status" {
			return errPseudoTwice
		}
		return errPseudoUnknown
	}
	h.Fields = fields[1:]
	return h.readFields(&facts{})
}

// readTrailers checks a trailer section (RFC 9113 §8.1). Fields that are not allowed in trailers are removed.
func (h *Head) readTrailers(fields []Field) *Error {
	*h = Head{ContentLength: -1, Fields: fields}
	if len(fields) > 0 && isPseudo(fields[0].Name) {
		return errPseudoUnknown
	}
	if err := h.readFields(&facts{}); err != nil {
		return err
	}
	// RFC 9110 §6.5.1: fields that are not allowed in trailers are dropped, as in HTTP/1.1.
	h.Fields = slices.DeleteFunc(h.Fields, func(f Field) bool { return http1.ForbiddenTrailer(bytesOf(f.Name)) })
	h.ContentLength = -1
	return nil
}

// contentOf returns how many bytes of DATA a response must have, -1 if that is not known (RFC 9110 §6.4.1).
func (h *Head) contentOf(m method) int64 {
	switch {
	case m == methodConnect && h.Status < 300:
		return -1
	case m == methodHead, h.Status == 204, h.Status == 304:
		return 0
	}
	return h.ContentLength
}

func isPseudo(name string) bool { return len(name) > 0 && name[0] == ':' }

// pseudo is a set of a request's pseudo-fields.
type pseudo uint8

const (
	pseudoMethod pseudo = 1 << iota
	pseudoScheme
	pseudoAuthority
	pseudoPath
	pseudoProtocol
)

func (h *Head) pseudoOf(name string) (pseudo, *string) {
	switch name {
	case ":method":
		return pseudoMethod, &h.Method
	case ":scheme":
		return pseudoScheme, &h.Scheme
	case ":authority":
		return pseudoAuthority, &h.Authority
	case ":path":
		return pseudoPath, &h.Path
	case ":protocol":
		return pseudoProtocol, &h.Protocol
	}
	return 0, nil
}

// readFields checks the fields after the pseudo-fields.
func (h *Head) readFields(f *facts) *Error {
	for i := range h.Fields {
		name, value := h.Fields[i].Name, h.Fields[i].Value
		if !validName(name) {
			if isPseudo(name) {
				return errPseudoOrder
			}
			return errName
		}
		if !validValue(value) {
			return errValue
		}
		if len(name) < minSpecial || len(name) > maxSpecial {
			continue
		}
		if err := h.readSpecial(name, value, f); err != nil {
			return err
		}
	}
	return nil
}

// The lengths of the shortest and the longest name that readSpecial handles.
const (
	minSpecial = len("te")
	maxSpecial = len("transfer-encoding")
)

func (h *Head) readSpecial(name, value string, f *facts) *Error {
	switch name {
	case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "http2-settings":
		return errConnection
	case "te":
		if value != "trailers" {
			return errTE
		}
	case "host":
		f.host = value
		f.hosts++
	case "priority":
		f.priority = value
	case "content-length":
		n, ok := parseLength(value)
		if f.lengths++; !ok || f.lengths > 1 {
			return errLength
		}
		h.ContentLength = n
	}
	return nil
}

// checkRequest checks that a request has the pseudo-fields it needs, and their values.
func (h *Head) checkRequest(seen pseudo, connectProtocol bool, f *facts) *Error {
	if seen&pseudoMethod == 0 {
		return errPseudoMissing
	}
	if len(h.Method) == 0 || !ascii.All(bytesOf(h.Method), ascii.Token) {
		return errMethod
	}
	if seen&pseudoProtocol != 0 {
		// RFC 8441 §4: only with CONNECT, and with :scheme and :path like any other request.
		if h.Method != "CONNECT" || !connectProtocol || !ascii.All(bytesOf(h.Protocol), ascii.Token) || h.Protocol == "" {
			return errProtocol
		}
	} else if h.Method == "CONNECT" {
		return h.checkConnect(seen, f)
	}
	if seen&pseudoScheme == 0 || seen&pseudoPath == 0 {
		return errPseudoMissing
	}
	if !validScheme(h.Scheme) {
		return errScheme
	}
	if !h.validPath() {
		return errPath
	}
	return h.checkAuthority(seen&pseudoAuthority != 0, f)
}

// checkConnect checks a CONNECT request (RFC 9113 §8.5).
func (h *Head) checkConnect(seen pseudo, f *facts) *Error {
	if seen&(pseudoScheme|pseudoPath) != 0 || seen&pseudoAuthority == 0 || !hasPort(h.Authority) {
		return errConnect
	}
	return h.checkAuthority(true, f)
}

// checkAuthority checks :authority, or Host if there is none, as a Host field of HTTP/1.1 (RFC 9113 §8.3.1). If both are
// there, they must be the same.
func (h *Head) checkAuthority(given bool, f *facts) *Error {
	if f.hosts > 1 {
		return errHost
	}
	if !given {
		h.Authority = f.host
	}
	if given && f.hosts == 0 && h.Authority == f.knownAuthority && f.knownAuthority != "" {
		return nil
	}
	if !http1.ValidHost(bytesOf(h.Authority)) || h.Authority == "" && (given || h.Scheme == "http" || h.Scheme == "https") {
		return errAuthority
	}
	if given && !oneSpelling(h.Authority) {
		return errAuthority
	}
	if given && f.hosts == 1 && f.host != h.Authority && !sameAuthority(f.host, h.Authority, h.Scheme) {
		return errHost
	}
	if given {
		f.knownAuthority = h.Authority
	}
	return nil
}

// validPath reports whether :path is absolute, or the asterisk of OPTIONS (RFC 9113 §8.3.1), and has only the bytes and
// escapes that HTTP/1.1 allows in a request-target.
func (h *Head) validPath() bool {
	p := h.Path
	if p == "*" {
		return h.Method == "OPTIONS"
	}
	return len(p) > 0 && p[0] == '/' && validTarget(p)
}

// bytesOf returns the bytes of s, which must not be modified.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
