package http1

import (
	"strconv"

	"github.com/shockwave-go/shockwave"
)

// AppendStatusLine appends "HTTP/1.1 200 OK\r\n". If reason is empty, or contains a control byte, the registered phrase
// of code is used. code must have three digits; AppendStatusLine panics otherwise.
func AppendStatusLine(dst []byte, code int, reason string) []byte {
	if code < 100 || code > 999 {
		panic("http1: status code " + strconv.Itoa(code))
	}
	if reason == "" && code < 600 && statusLines[code-100] != "" {
		return append(dst, statusLines[code-100]...)
	}
	dst = append(dst, "HTTP/1.1 "...)
	dst = strconv.AppendInt(dst, int64(code), 10)
	dst = append(dst, ' ')
	start := len(dst)
	dst = append(dst, reason...)
	if !ValidFieldValue(dst[start:]) {
		dst = append(dst[:start], StatusText(code)...)
	}
	return append(dst, '\r', '\n')
}

// AppendRequestLine appends "GET /target HTTP/1.1\r\n". ok is false, and dst unchanged, if method is not a token, or if
// target is empty or contains a byte that is not allowed in a request-target.
func AppendRequestLine(dst []byte, method, target string) (_ []byte, ok bool) {
	start := len(dst)
	dst = append(dst, method...)
	if !ValidToken(dst[start:]) {
		return dst[:start], false
	}
	dst = append(dst, ' ')
	at := len(dst)
	dst = append(dst, target...)
	dst = append(dst, " HTTP/1.1\r\n"...)
	if len(target) == 0 || indexTargetEnd(dst, at) != at+len(target) {
		return dst[:start], false
	}
	return dst, true
}

// AppendField appends "Name: value\r\n". ok is false, and dst unchanged, if name is not a token or value contains a
// control byte other than HTAB (RFC 9110 §5.5), so that a value can never split a message.
func AppendField(dst []byte, name, value string) (_ []byte, ok bool) {
	return appendField(dst, name, value)
}

// appendField appends a line and then checks the appended bytes, so that strings and byte slices are checked by the
// same code.
func appendField[T string | []byte](dst []byte, name, value T) (_ []byte, ok bool) {
	start := len(dst)
	dst = append(dst, name...)
	colon := len(dst)
	dst = append(dst, ": "...)
	dst = append(dst, value...)
	cr := len(dst)
	dst = append(dst, "\r\n"...)
	if colon == start || indexNameEnd(dst, start) != colon || indexControl(dst, colon+1) != cr {
		return dst[:start], false
	}
	return dst, true
}

// AppendHeader appends all lines of h. ok is false, and dst unchanged, if AppendField would refuse one of them.
func AppendHeader(dst []byte, h *shockwave.Header) (_ []byte, ok bool) {
	start := len(dst)
	for i := range h.Len() {
		name, value := h.At(i)
		if dst, ok = appendField(dst, name, value); !ok {
			return dst[:start], false
		}
	}
	return dst, true
}

// AppendChunkSize appends the size line of a chunk of n bytes. It panics if n is not positive: a chunk of size 0 ends
// the body.
func AppendChunkSize(dst []byte, n int) []byte {
	if n <= 0 {
		panic("http1: chunk of " + strconv.Itoa(n) + " bytes")
	}
	dst = strconv.AppendUint(dst, uint64(n), 16)
	return append(dst, '\r', '\n')
}

// AppendLastChunk appends the last chunk, the trailer fields (nil for none) and the empty line. It omits fields that
// are not allowed as trailers (RFC 9110 §6.5.1: framing, routing, authentication, …) and fields that AppendField
// refuses.
func AppendLastChunk(dst []byte, trailer *shockwave.Header) []byte {
	dst = append(dst, "0\r\n"...)
	if trailer != nil {
		for i := range trailer.Len() {
			if name, value := trailer.At(i); !ForbiddenTrailer(name) {
				dst, _ = appendField(dst, name, value)
			}
		}
	}
	return append(dst, '\r', '\n')
}
