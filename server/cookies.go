package server

import (
	"iter"
	"net/http"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
	"github.com/shockwave-go/shockwave/server/internal/params"
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
			if !params.Cookies(line, yield) {
				return
			}
		}
	}
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
