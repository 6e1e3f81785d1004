package server

import (
	"bytes"
	"iter"
	"net/http"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// Cookie returns the value of the first cookie called name, without the quotes around it, nil if there is none (RFC
// 6265 §5.4). A cookie whose value holds a byte that is not allowed is ignored. The value is valid until the handler
// returns.
func (r *Request) Cookie(name string) []byte {
	for key, value := range r.Cookies() {
		if string(key) == name {
			return value
		}
	}
	return nil
}

// Cookies returns an iterator over the names and values of all cookies. Values are as Cookie returns them.
func (r *Request) Cookies() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		h := r.Header()
		for i := range h.Len() {
			name, line := h.At(i)
			if !ascii.EqualFold(name, "cookie") {
				continue
			}
			if !cookiesOf(line, yield) {
				return
			}
		}
	}
}

var semicolon = []byte(";")

// cookiesOf yields the cookies of one Cookie field. It reports whether the iteration goes on.
func cookiesOf(line []byte, yield func(name, value []byte) bool) bool {
	for len(line) > 0 {
		var pair []byte
		pair, line, _ = bytes.Cut(line, semicolon)
		name, value, _ := bytes.Cut(ascii.TrimOWS(pair), equals)
		name = ascii.TrimOWS(name)
		value, ok := cookieValue(value)
		if ok && len(name) > 0 && ascii.All(name, ascii.Token) && !yield(name, value) {
			return false
		}
	}
	return true
}

// cookieValue returns a value without its quotes. ok is false if it holds a byte that is not a cookie-octet (RFC 6265
// §4.1.1). Spaces and commas are accepted, because many clients send them.
func cookieValue(v []byte) ([]byte, bool) {
	if len(v) > 1 && v[0] == '"' && v[len(v)-1] == '"' {
		v = v[1 : len(v)-1]
	}
	for _, c := range v {
		if c < ' ' || c >= 0x7f || c == '"' || c == ';' || c == '\\' {
			return nil, false
		}
	}
	if v == nil {
		v = nothing
	}
	return v, true
}

// SetCookie adds a Set-Cookie field (RFC 6265 §4.1). It must be called before the commit. It reports whether c is a
// valid cookie; an invalid one is not added.
func (w *ResponseWriter) SetCookie(c *http.Cookie) bool {
	text := c.String()
	if text == "" {
		return false
	}
	w.header.Add("Set-Cookie", text)
	return true
}
