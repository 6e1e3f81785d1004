package client

import (
	"encoding/base64"
	"strconv"

	"github.com/shockwave-go/shockwave/internal/compress/coding"
)

// requestHead is the head of a request: the program's Request, and what the client adds.
type requestHead struct {
	req     *Request
	fields  fieldSummary
	to      target
	method  string
	host    string
	agent   string // value of User-Agent; empty if there is none
	length  int64  // value of Content-Length; negative if there is none
	chunked bool   // Transfer-Encoding: chunked

	acceptEncoding bool    // the client sends an Accept-Encoding of its own
	close          bool    // the connection is used for no other request
	expects        bool    // the body waits for 100 Continue
	proxy          string  // value of Proxy-Authorization; empty if there is none
	cookies        []byte  // value of Cookie, including the cookies of the jar
	login          []byte  // value of Authorization, from the URL's userinfo
	referer        string  // value of Referer after a redirect
	trailer        *Header // fields whose names are announced; nil if there are none

	// After a redirect:
	dropCredentials bool // omit fields that are only for the first host
	dropBodyFields  bool // omit fields that describe the body
	redirect        bool
	replacedCookies []string // names of cookies of the program that servers have set since

	scratch []byte
}

// reset clears h but keeps its memory.
func (h *requestHead) reset() {
	*h = requestHead{cookies: h.cookies[:0], login: h.login[:0], scratch: h.scratch[:0]}
}

// omits reports whether a field of the program's own is not sent as it is: either the client sends its own version of it,
// or it must not be sent after a redirect.
func (h *requestHead) omits(kind fieldKind, name, value []byte) bool {
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
	return kind == refererField || h.dropCredentials && isCredential(string(name)) || h.dropBodyFields && isAboutBody(string(name))
}

// setLogin sets the Authorization for a URL's userinfo.
func (h *requestHead) setLogin(user string) {
	h.scratch = appendUser(h.scratch[:0], user)
	h.login = base64.StdEncoding.AppendEncode(append(h.login[:0], "Basic "...), h.scratch)
}

// AppendHTTP1 implements httpclient.Head.
func (h *requestHead) AppendHTTP1(dst []byte, direct bool) []byte {
	dst = append(append(dst, h.method...), ' ')
	if !direct {
		dst = append(append(append(dst, h.to.scheme()...), "://"...), h.to.host...)
	}
	dst = h.appendPath(dst)
	dst = append(append(append(dst, " HTTP/1.1\r\nHost: "...), h.host...), '\r', '\n')
	if h.agent != "" {
		dst = append(append(append(dst, "User-Agent: "...), h.agent...), '\r', '\n')
	}
	dst = h.appendOwn(dst)
	dst = h.appendConnection(dst)
	if !direct && h.proxy != "" {
		dst = append(append(append(dst, "Proxy-Authorization: "...), h.proxy...), '\r', '\n')
	}
	switch {
	case h.chunked:
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
	case h.length >= 0:
		dst = append(strconv.AppendInt(append(dst, "Content-Length: "...), h.length, 10), '\r', '\n')
	}
	return append(h.appendClientFields(dst), '\r', '\n')
}

// appendPath appends the path and the query.
func (h *requestHead) appendPath(dst []byte) []byte {
	return append(append(dst, h.to.pathOrSlash()...), h.to.query...)
}

// appendOwn appends the fields of the Request.
func (h *requestHead) appendOwn(dst []byte) []byte {
	own := &h.req.Header
	for i := range own.Len() {
		name, value := own.At(i)
		kind := kindOf(name)
		if h.omits(kind, name, value) {
			continue
		}
		dst = append(append(dst, name...), ':', ' ')
		dst = append(append(dst, value...), '\r', '\n')
	}
	return dst
}

// appendConnection appends the fields that concern the connection (RFC 9110 §7.6.1).
func (h *requestHead) appendConnection(dst []byte) []byte {
	switch {
	case h.close && h.fields.trailers:
		dst = append(dst, "Connection: close, TE\r\n"...)
	case h.close:
		dst = append(dst, "Connection: close\r\n"...)
	case h.fields.trailers:
		dst = append(dst, "Connection: TE\r\n"...)
	}
	if h.fields.trailers {
		dst = append(dst, "TE: trailers\r\n"...)
	}
	return dst
}

// appendClientFields appends the fields that the client adds, except those that depend on the version of HTTP.
func (h *requestHead) appendClientFields(dst []byte) []byte {
	if h.acceptEncoding {
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

// trailers returns how many trailer fields are announced.
func (h *requestHead) trailers() int {
	if h.trailer == nil {
		return 0
	}
	return h.trailer.Len()
}
