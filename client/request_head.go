package client

import (
	"encoding/base64"
	"strconv"

	"github.com/shockwave-go/shockwave/internal/coding"
)

// requestHead is the head of a request as it is sent: what the program has said, and what the client adds.
type requestHead struct {
	req    *Request
	asked  asked
	to     target
	method string
	host   string
	agent  string // User-Agent; "" is none
	length int64  // Content-Length; none if negative
	chunks bool   // Transfer-Encoding: chunked

	encodes bool    // Accept-Encoding is the client's
	closes  bool    // the connection is used for no other request
	expects bool    // the body waits for 100 Continue
	proxy   string  // Proxy-Authorization; "" is none
	cookies []byte  // Cookie, with those of the jar
	login   []byte  // Authorization from the URL
	referer string  // of a redirect
	trailer *Header // whose names are announced; nil is none

	// Behind a redirect:
	noLogin  bool // what is only for the first host is not sent
	noBody   bool // what is about a body is not sent
	redirect bool
	replaced []string // cookies of the program's own that servers have set since

	scratch []byte
}

// reset forgets the request, and keeps memory.
func (h *requestHead) reset() {
	*h = requestHead{cookies: h.cookies[:0], login: h.login[:0], scratch: h.scratch[:0]}
}

// withholds reports whether a field of the program's own is not sent as it stands: the client says it in its place, or it is
// not for where a redirect leads.
func (h *requestHead) withholds(kind fieldKind, name, value []byte) bool {
	switch kind {
	case ordinary, encodingField, rangeField, loginField, refererField:
	case agentField:
		return len(value) == 0
	default:
		return true
	}
	if !h.redirect {
		return false
	}
	return kind == refererField || h.noLogin && isCredential(string(name)) || h.noBody && isAboutBody(string(name))
}

// setLogin makes an Authorization of a URL's user.
func (h *requestHead) setLogin(user string) {
	h.scratch = appendUser(h.scratch[:0], user)
	h.login = base64.StdEncoding.AppendEncode(append(h.login[:0], "Basic "...), h.scratch)
}

// AppendHTTP1 implements httpclient.Head.
func (h *requestHead) AppendHTTP1(dst []byte, straight bool) []byte {
	dst = append(append(dst, h.method...), ' ')
	if !straight {
		dst = append(append(append(dst, h.to.scheme()...), "://"...), h.to.host...)
	}
	dst = h.appendPath(dst)
	dst = append(append(append(dst, " HTTP/1.1\r\nHost: "...), h.host...), '\r', '\n')
	if h.agent != "" {
		dst = append(append(append(dst, "User-Agent: "...), h.agent...), '\r', '\n')
	}
	dst = h.appendOwn(dst)
	dst = h.appendConnection(dst)
	if !straight && h.proxy != "" {
		dst = append(append(append(dst, "Proxy-Authorization: "...), h.proxy...), '\r', '\n')
	}
	switch {
	case h.chunks:
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
	case h.length >= 0:
		dst = append(strconv.AppendInt(append(dst, "Content-Length: "...), h.length, 10), '\r', '\n')
	}
	return append(h.appendMore(dst), '\r', '\n')
}

// appendPath appends path and query.
func (h *requestHead) appendPath(dst []byte) []byte {
	return append(append(dst, h.to.slash()...), h.to.query...)
}

// appendOwn appends the fields that the program has given.
func (h *requestHead) appendOwn(dst []byte) []byte {
	own := &h.req.Header
	for i := range own.Len() {
		name, value := own.At(i)
		kind := kindOf(name)
		if h.withholds(kind, name, value) {
			continue
		}
		dst = append(append(dst, name...), ':', ' ')
		dst = append(append(dst, value...), '\r', '\n')
	}
	return dst
}

// appendConnection appends what is about the connection (RFC 9110 §7.6.1).
func (h *requestHead) appendConnection(dst []byte) []byte {
	switch {
	case h.closes && h.asked.trailers:
		dst = append(dst, "Connection: close, TE\r\n"...)
	case h.closes:
		dst = append(dst, "Connection: close\r\n"...)
	case h.asked.trailers:
		dst = append(dst, "Connection: TE\r\n"...)
	}
	if h.asked.trailers {
		dst = append(dst, "TE: trailers\r\n"...)
	}
	return dst
}

// appendMore appends what the client adds, and names alike in all versions.
func (h *requestHead) appendMore(dst []byte) []byte {
	if h.encodes {
		dst = append(dst, "Accept-Encoding: "+coding.AcceptEncoding+"\r\n"...)
	}
	if len(h.login) > 0 {
		dst = append(append(append(dst, "Authorization: "...), h.login...), '\r', '\n')
	}
	if len(h.cookies) > 0 {
		dst = append(append(append(dst, "Cookie: "...), h.cookies...), '\r', '\n')
	}
	if h.referer != "" {
		dst = append(append(append(dst, "Referer: "...), h.referer...), '\r', '\n')
	}
	if h.expects {
		dst = append(dst, "Expect: 100-continue\r\n"...)
	}
	for i := range h.trailers() {
		name, _ := h.trailer.At(i)
		dst = append(append(append(dst, "Trailer: "...), name...), '\r', '\n')
	}
	return dst
}

// trailers is how many trailer fields are announced.
func (h *requestHead) trailers() int {
	if h.trailer == nil {
		return 0
	}
	return h.trailer.Len()
}
