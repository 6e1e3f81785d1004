package reqhead

import (
	"bytes"
	"net/http"
	"slices"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

var semicolon = []byte(";")

// SetCookies builds one Cookie field from the program's own lines and the cookies of jar, which may be nil (RFC 6265 §5.4).
func (h *Head) SetCookies(jar http.CookieJar) {
	h.cookies = h.cookies[:0]
	if h.Fields.Cookie && !h.DropCredentials {
		own := h.Own
		for v, i := own.Next("Cookie", 0); i > 0; v, i = own.Next("Cookie", i) {
			h.addOwnCookies(v)
		}
	}
	if jar == nil {
		return
	}
	u := h.To.URL()
	if u == nil {
		return
	}
	for _, c := range jar.Cookies(u) {
		pair := http.Cookie{Name: c.Name, Value: c.Value, Quoted: c.Quoted}
		h.addCookie([]byte(pair.String()))
	}
}

// addOwnCookies adds cookies of the program's own. After redirects it leaves out those that a server has replaced, since
// it is not known for which host the new ones are meant.
func (h *Head) addOwnCookies(line []byte) {
	if len(h.replaced) == 0 {
		h.addCookie(line)
		return
	}
	for pair := range bytes.SplitSeq(line, semicolon) {
		pair = ascii.TrimOWS(pair)
		name, _, _ := bytes.Cut(pair, []byte("="))
		if !slices.Contains(h.replaced, string(name)) {
			h.addCookie(pair)
		}
	}
}

// addCookie adds text to the Cookie field.
func (h *Head) addCookie(text []byte) {
	if len(text) == 0 {
		return
	}
	if len(h.cookies) > 0 {
		h.cookies = append(h.cookies, "; "...)
	}
	h.cookies = append(h.cookies, text...)
}

// KeepCookies passes the cookies of a response to jar, which may be nil (RFC 6265 §5.2). Malformed cookies are ignored.
func (h *Head) KeepCookies(jar http.CookieJar, fields *shockwave.Header) {
	if jar == nil || !fields.Has("Set-Cookie") {
		return
	}
	u := h.To.URL()
	if u == nil {
		return
	}
	var cookies []*http.Cookie
	for v, i := fields.Next("Set-Cookie", 0); i > 0; v, i = fields.Next("Set-Cookie", i) {
		if c, err := http.ParseSetCookie(string(v)); err == nil {
			cookies = append(cookies, c)
			if h.Fields.Cookie {
				h.replaced = append(h.replaced, c.Name)
			}
		}
	}
	jar.SetCookies(u, cookies)
}

// appendCrumbs appends one field for each cookie, which compresses better (RFC 9113 §8.2.3).
func (h *Head) appendCrumbs(f carrier.Fields, dst []byte) []byte {
	for rest := h.cookies; len(rest) > 0; {
		var crumb []byte
		crumb, rest, _ = bytes.Cut(rest, semicolon)
		if crumb = ascii.TrimOWS(crumb); len(crumb) > 0 {
			dst = f.AppendFieldBytes(dst, cookieName, crumb)
		}
	}
	return dst
}
