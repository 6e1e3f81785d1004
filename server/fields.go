package server

import (
	"math"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// headerOptions is what the fields that a handler has set ask of the server.
type headerOptions struct {
	length int64 // Content-Length; -1 if there is none, or no valid one
	flags  headerFlags
}

// headerFlags is a set of flags about the handler's fields.
type headerFlags uint16

const (
	wantsChunks         headerFlags = 1 << iota // Transfer-Encoding: chunked, or a Trailer field
	wantsClose                                  // Connection: close
	wantsCloseDelimited                         // Transfer-Encoding: identity
	hasDate                                     // there is a Date field
	hasServer                                   // there is a Server field
	hasCodings                                  // Transfer-Encoding: any other value
	badLength                                   // there is an invalid Content-Length
	isSpecial                                   // not all lines are simply copied: see ResponseWriter.sends
)

// has reports whether w contains any of some.
func (w headerFlags) has(some headerFlags) bool { return w&some != 0 }

// fieldKind tells the fields apart that have a meaning for the server.
type fieldKind uint8

const (
	ordinary fieldKind = iota
	contentLength
	contentType
	transferEncoding
	connectionField
	trailerField
	dateField
	serverField
)

// kinds holds the fields that are not ordinary, indexed by the length of their name. usual is the common spelling,
// which is compared first; name is the name in lower case.
var kinds = [18]struct {
	usual, name string
	kind        fieldKind
}{
	4:  {"Date", "date", dateField},
	6:  {"Server", "server", serverField},
	7:  {"Trailer", "trailer", trailerField},
	10: {"Connection", "connection", connectionField},
	12: {"Content-Type", "content-type", contentType},
	14: {"Content-Length", "content-length", contentLength},
	17: {"Transfer-Encoding", "transfer-encoding", transferEncoding},
}

// kindOf returns the kind of the field called name.
func kindOf(name []byte) fieldKind {
	if len(name) >= len(kinds) {
		return ordinary
	}
	k := &kinds[len(name)]
	if string(name) != k.usual && (len(k.name) != len(name) || !ascii.EqualFold(name, k.name)) {
		return ordinary
	}
	return k.kind
}

// readFields returns what the lines of h ask for. setLength is the length that the handler has set with
// SetContentLength, -1 if it has not. It takes precedence over the lines.
func readFields(h *shockwave.Header, setLength int64) headerOptions {
	a := headerOptions{length: -1}
	for i := range h.Len() {
		name, value := h.At(i)
		switch kindOf(name) {
		case ordinary, contentType:
			continue
		case serverField:
			a.flags |= hasServer
			continue
		case contentLength:
			a.addLength(value)
		case transferEncoding:
			if ascii.EqualFold(value, "chunked") {
				a.flags |= wantsChunks
			} else if ascii.EqualFold(value, "identity") {
				a.flags |= wantsCloseDelimited
			} else {
				a.flags |= hasCodings
			}
		case connectionField:
			if closes, _ := connectionOptions(value); closes {
				a.flags |= wantsClose
			}
		case trailerField:
			a.flags |= wantsChunks
		case dateField:
			a.flags |= hasDate
		}
		a.flags |= isSpecial
	}
	if setLength >= 0 {
		a.length = setLength
		a.flags &^= badLength
	}
	return a
}

// addLength adds the value of a Content-Length line. If a value is not a number or differs from another one, no value
// is used.
func (a *headerOptions) addLength(value []byte) {
	n := parseLength(value)
	switch {
	case a.flags.has(badLength):
	case n < 0, a.length >= 0 && n != a.length:
		a.flags |= badLength
		a.length = -1
	default:
		a.length = n
	}
}

// declaredLength returns the length that the handler has set so far, -1 if there is no valid one.
func (w *ResponseWriter) declaredLength() int64 {
	if w.setLength >= 0 {
		return w.setLength
	}
	a := headerOptions{length: -1}
	for i := range w.header.Len() {
		if name, value := w.header.At(i); kindOf(name) == contentLength {
			a.addLength(value)
		}
	}
	return a.length
}

// parseLength parses 1*DIGIT (RFC 9110 §8.6). It returns -1 if v is anything else, or too large.
func parseLength(v []byte) (n int64) {
	if len(v) == 0 {
		return -1
	}
	for _, c := range v {
		digit := int64(c - '0')
		if c < '0' || c > '9' || n > (math.MaxInt64-digit)/10 {
			return -1
		}
		n = n*10 + digit
	}
	return n
}

// connectionOptions reports whether a Connection field's value (RFC 9110 §7.6.1) contains "close", and whether it
// contains options other than "close" and "keep-alive", which the server handles itself.
func connectionOptions(value []byte) (closes, others bool) {
	for option := range http1.Elements(value) {
		switch {
		case ascii.EqualFold(option, "keep-alive"):
		case ascii.EqualFold(option, "close"):
			closes = true
		default:
			others = true
		}
	}
	return closes, others
}
