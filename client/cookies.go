package client

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

var semicolon = []byte(";")

// setCookies builds one Cookie field from the program's own lines and the jar's cookies (RFC 6265 §5.4).
func (r *Response) setCookies() {
	h, jar := &r.head, r.client.cfg.Jar
	h.cookies = h.cookies[:0]
	if h.fields.cookie && !h.dropCredentials {
		own := &h.req.Header
		for v, i := own.Next("Cookie", 0); i > 0; v, i = own.Next("Cookie", i) {
			h.addOwnCookies(v)
		}
	}
	if jar == nil {
		return
	}
	u := h.to.cookieURL()
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
func (h *requestHead) addOwnCookies(line []byte) {
	if len(h.replacedCookies) == 0 {
		h.addCookie(line)
		return
	}
	for pair := range bytes.SplitSeq(line, semicolon) {
		pair = ascii.TrimOWS(pair)
		name, _, _ := bytes.Cut(pair, []byte("="))
		if !slices.Contains(h.replacedCookies, string(name)) {
			h.addCookie(pair)
		}
	}
}

// addCookie adds text to the Cookie field.
func (h *requestHead) addCookie(text []byte) {
	if len(text) == 0 {
		return
	}
	if len(h.cookies) > 0 {
		h.cookies = append(h.cookies, "; "...)
	}
	h.cookies = append(h.cookies, text...)
}

// cookieURL returns the URL for the jar, nil if package url cannot parse it. The fragment is cut off: it is never sent,
// and package url may refuse it.
func (t *target) cookieURL() *url.URL {
	text, _, _ := strings.Cut(t.text, "#")
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	return u
}

// keepCookies passes the cookies of a response to the jar (RFC 6265 §5.2). Malformed cookies are ignored.
func (r *Response) keepCookies() {
	jar, fields := r.client.cfg.Jar, r.Header()
	if jar == nil || !fields.Has("Set-Cookie") {
		return
	}
	u := r.head.to.cookieURL()
	if u == nil {
		return
	}
	var cookies []*http.Cookie
	for v, i := fields.Next("Set-Cookie", 0); i > 0; v, i = fields.Next("Set-Cookie", i) {
		if c, err := http.ParseSetCookie(string(v)); err == nil {
			cookies = append(cookies, c)
			if r.head.fields.cookie {
				r.head.replacedCookies = append(r.head.replacedCookies, c.Name)
			}
		}
	}
	jar.SetCookies(u, cookies)
}

// appendCrumbs appends one field for each cookie, which compresses better (RFC 9113 §8.2.3).
func (h *requestHead) appendCrumbs(f carrier.Fields, dst []byte) []byte {
	for rest := h.cookies; len(rest) > 0; {
		var crumb []byte
		crumb, rest, _ = bytes.Cut(rest, semicolon)
		if crumb = ascii.TrimOWS(crumb); len(crumb) > 0 {
			dst = f.AppendFieldBytes(dst, cookieName, crumb)
		}
	}
	return dst
}
