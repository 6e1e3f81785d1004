// Package reqhead is the head of a client's request: which fields a program may set, which the client adds, and how both are
// written in each version of HTTP.
package reqhead

import (
	"encoding/base64"
	"strconv"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/client/internal/redirect"
	"github.com/shockwave-go/shockwave/client/internal/target"
	"github.com/shockwave-go/shockwave/internal/compress/coding"
)

// Head is the head of a request: the fields of the program, and what the client adds. It implements httpclient.Head.
type Head struct {
	Own     *shockwave.Header // the program's fields
	Fields  Summary           // of Own
	To      target.Target
	Method  string
	Host    string
	Agent   string // value of User-Agent; empty if there is none
	Length  int64  // value of Content-Length; negative if there is none
	Chunked bool   // Transfer-Encoding: chunked

	AcceptEncoding bool              // the client sends an Accept-Encoding of its own
	Close          bool              // the connection is used for no other request
	Expects        bool              // the body waits for 100 Continue
	ProxyLogin     string            // value of Proxy-Authorization; empty if there is none
	Referer        string            // value of Referer after a redirect
	Trailer        *shockwave.Header // fields whose names are announced; nil if there are none

	// After a redirect:
	Redirected      bool
	DropCredentials bool // omit fields that are only for the first host
	DropBodyFields  bool // omit fields that describe the body

	login    []byte   // value of Authorization, from the URL's userinfo
	cookies  []byte   // value of Cookie, including the cookies of the jar
	replaced []string // names of the program's cookies that servers have set since

	scratch []byte
}

// Reset clears h but keeps its memory.
func (h *Head) Reset() {
	*h = Head{cookies: h.cookies[:0], login: h.login[:0], scratch: h.scratch[:0]}
}

// omits reports whether a field of the program's own is not sent as it is: either the client sends its own version of it,
// or it must not be sent after a redirect.
func (h *Head) omits(kind fieldKind, name, value []byte) bool {
	switch kind {
	case ordinary, encodingField, rangeField, loginField, refererField:
	case agentField:
		return len(value) == 0
	default:
		return true
	}
	if !h.Redirected {
		return false
	}
	return kind == refererField || h.DropCredentials && redirect.IsCredential(string(name)) || h.DropBodyFields && redirect.IsAboutBody(string(name))
}

// SetLogin sets the Authorization from the URL's userinfo, unless the program sends one.
func (h *Head) SetLogin() {
	h.login = h.login[:0]
	if h.To.HasUser && (!h.Fields.Login || h.DropCredentials) {
		h.scratch = h.To.AppendLogin(h.scratch[:0])
		h.login = base64.StdEncoding.AppendEncode(append(h.login, "Basic "...), h.scratch)
	}
}

// AppendHTTP1 implements httpclient.Head.
func (h *Head) AppendHTTP1(dst []byte, direct bool) []byte {
	dst = append(append(dst, h.Method...), ' ')
	if !direct {
		dst = append(append(append(dst, h.To.Scheme()...), "://"...), h.To.Host...)
	}
	dst = h.appendPath(dst)
	dst = append(append(append(dst, " HTTP/1.1\r\nHost: "...), h.Host...), '\r', '\n')
	if h.Agent != "" {
		dst = append(append(append(dst, "User-Agent: "...), h.Agent...), '\r', '\n')
	}
	dst = h.appendOwn(dst)
	dst = h.appendConnection(dst)
	if !direct && h.ProxyLogin != "" {
		dst = append(append(append(dst, "Proxy-Authorization: "...), h.ProxyLogin...), '\r', '\n')
	}
	switch {
	case h.Chunked:
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
	case h.Length >= 0:
		dst = append(strconv.AppendInt(append(dst, "Content-Length: "...), h.Length, 10), '\r', '\n')
	}
	return append(h.appendClientFields(dst), '\r', '\n')
}

// appendPath appends the path and the query.
func (h *Head) appendPath(dst []byte) []byte {
	return append(append(dst, h.To.PathOrSlash()...), h.To.Query...)
}

// appendOwn appends the fields of the Request.
func (h *Head) appendOwn(dst []byte) []byte {
	own := h.Own
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
func (h *Head) appendConnection(dst []byte) []byte {
	switch {
	case h.Close && h.Fields.Trailers:
		dst = append(dst, "Connection: close, TE\r\n"...)
	case h.Close:
		dst = append(dst, "Connection: close\r\n"...)
	case h.Fields.Trailers:
		dst = append(dst, "Connection: TE\r\n"...)
	}
	if h.Fields.Trailers {
		dst = append(dst, "TE: trailers\r\n"...)
	}
	return dst
}

// appendClientFields appends the fields that the client adds, except those that depend on the version of HTTP.
func (h *Head) appendClientFields(dst []byte) []byte {
	if h.AcceptEncoding {
		dst = append(dst, "Accept-Encoding: "+coding.AcceptEncoding+"\r\n"...)
	}
	if len(h.login) > 0 {
		dst = append(append(append(dst, "Authorization: "...), h.login...), '\r', '\n')
	}
	if len(h.cookies) > 0 {
		dst = append(append(append(dst, "Cookie: "...), h.cookies...), '\r', '\n')
	}
	if h.Referer != "" {
		dst = append(append(append(dst, "Referer: "...), h.Referer...), '\r', '\n')
	}
	if h.Expects {
		dst = append(dst, "Expect: 100-continue\r\n"...)
	}
	for i := range h.trailers() {
		name, _ := h.Trailer.At(i)
		dst = append(append(append(dst, "Trailer: "...), name...), '\r', '\n')
	}
	return dst
}

// trailers returns how many trailer fields are announced.
func (h *Head) trailers() int {
	if h.Trailer == nil {
		return 0
	}
	return h.Trailer.Len()
}
