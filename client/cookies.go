package client

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/ascii"
)

var semicolon = []byte(";")

// setCookies makes one Cookie field of the program's own lines and of the jar's cookies (RFC 6265 §5.4).
func (r *Response) setCookies() {
	h, jar := &r.head, r.client.cfg.Jar
	h.cookies = h.cookies[:0]
	if h.asked.cookie && !h.noLogin {
		own := &h.req.Header
		for v, i := own.Next("Cookie", 0); i > 0; v, i = own.Next("Cookie", i) {
			h.addOwnCookies(v)
		}
	}
	if jar == nil {
		return
	}
	u := h.to.forJar()
	if u == nil {
		return
	}
	for _, c := range jar.Cookies(u) {
		pair := http.Cookie{Name: c.Name, Value: c.Value, Quoted: c.Quoted}
		h.addCookie([]byte(pair.String()))
	}
}

// addOwnCookies adds cookies of the program's own: behind redirects all but those that a server has set anew since, of
// which it is not known where they are meant to go.
func (h *requestHead) addOwnCookies(line []byte) {
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

// addCookie adds what belongs into a Cookie field.
func (h *requestHead) addCookie(text []byte) {
	if len(text) == 0 {
		return
	}
	if len(h.cookies) > 0 {
		h.cookies = append(h.cookies, "; "...)
	}
	h.cookies = append(h.cookies, text...)
}

// forJar is the URL as jars know it, nil if package url does not: without the fragment, which is sent to nobody and may be
// what that package refuses.
func (t *target) forJar() *url.URL {
	text, _, _ := strings.Cut(t.text, "#")
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	return u
}

// keepCookies gives the jar the cookies of a response (RFC 6265 §5.2); what is no cookie is none.
func (r *Response) keepCookies() {
	jar, fields := r.client.cfg.Jar, r.Header()
	if jar == nil || !fields.Has("Set-Cookie") {
		return
	}
	u := r.head.to.forJar()
	if u == nil {
		return
	}
	var cookies []*http.Cookie
	for v, i := fields.Next("Set-Cookie", 0); i > 0; v, i = fields.Next("Set-Cookie", i) {
		if c, err := http.ParseSetCookie(string(v)); err == nil {
			cookies = append(cookies, c)
			if r.head.asked.cookie {
				r.head.replaced = append(r.head.replaced, c.Name)
			}
		}
	}
	jar.SetCookies(u, cookies)
}

// appendCrumbs cuts the Cookie field at its semicolons, which compresses better (RFC 9113 §8.2.3).
func (h *requestHead) appendCrumbs(wire *http2.Conn, dst []byte) []byte {
	for rest := h.cookies; len(rest) > 0; {
		var crumb []byte
		crumb, rest, _ = bytes.Cut(rest, semicolon)
		if crumb = ascii.TrimOWS(crumb); len(crumb) > 0 {
			dst = wire.AppendFieldBytes(dst, cookieName, crumb)
		}
	}
	return dst
}
