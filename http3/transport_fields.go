package http3

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/internal/carrier"
)

// userAgent is sent by requests without a User-Agent.
const userAgent = "Go-http-client/3.0"

// headSection is the head of a request. It implements carrier.Section.
type headSection struct{ c *clientCall }

// AppendTo implements carrier.Section.
func (s headSection) AppendTo(f carrier.Fields, dst []byte) []byte {
	s.c.eachField(func(name, value string) { dst = f.AppendField(dst, name, value) })
	return dst
}

// trailerFields is the trailer section of a request. It implements carrier.Section.
type trailerFields struct{ c *clientCall }

// AppendTo implements carrier.Section.
func (s trailerFields) AppendTo(f carrier.Fields, dst []byte) []byte {
	for name, values := range s.c.req.Trailer {
		for _, v := range values {
			if classOf(name) != fieldSkipped && classOf(name) != fieldTE {
				dst = f.AppendField(dst, strings.ToLower(name), trimSpace(v))
			}
		}
	}
	return dst
}

// eachField calls yield for each field of the head, pseudo-fields first (RFC 9114 §4.3.1).
func (c *clientCall) eachField(yield func(name, value string)) {
	yield(":authority", c.authority)
	yield(":method", c.method)
	yield(":path", c.path)
	yield(":scheme", "https")
	agent := false
	for name, values := range c.req.Header {
		switch classOf(name) {
		case fieldSkipped:
		case fieldCookie:
			for _, v := range values {
				eachCrumb(v, yield)
			}
		case fieldAgent:
			agent = true
			if len(values) > 0 && values[0] != "" {
				yield("user-agent", trimSpace(values[0]))
			}
		case fieldTE:
			if hasToken(values, "trailers") {
				yield("te", "trailers")
			}
		default:
			lower := strings.ToLower(name)
			for _, v := range values {
				yield(lower, trimSpace(v))
			}
		}
	}
	c.addedFields(agent, yield)
}

// addedFields calls yield for the fields that the Transport adds to those of the request. agent tells that the request has a User-Agent.
func (c *clientCall) addedFields(agent bool, yield func(name, value string)) {
	if c.length > 0 || c.length == 0 && sendsZero(c.method) {
		yield("content-length", strconv.FormatInt(c.length, 10))
	}
	for name := range c.req.Trailer {
		yield("trailer", strings.ToLower(name))
	}
	if !agent {
		yield("user-agent", userAgent)
	}
}

// sendsZero reports whether a request with this method has "Content-Length: 0" when it has no body.
func sendsZero(method string) bool { return method == "POST" || method == "PUT" || method == "PATCH" }

// eachCrumb splits a cookie field at its semicolons, which compresses better (RFC 9114 §4.2.1).
func eachCrumb(v string, yield func(name, value string)) {
	for crumb := range strings.SplitSeq(v, ";") {
		if crumb = trimSpace(crumb); crumb != "" {
			yield("cookie", crumb)
		}
	}
}

// trimSpace removes white space from the ends of a value, where it is forbidden.
func trimSpace(v string) string { return strings.Trim(v, " \t") }

// sendKind tells how a field of the request is sent.
type sendKind uint8

const (
	fieldPlain   sendKind = iota
	fieldSkipped          // it is sent in another form, or is about HTTP/1 connections (RFC 9114 §4.2)
	fieldCookie
	fieldAgent
	fieldTE
)

// classOf returns how a field is sent.
func classOf(name string) sendKind {
	switch http.CanonicalHeaderKey(name) {
	case "Host", "Content-Length", "Connection", "Proxy-Connection", "Transfer-Encoding", "Upgrade", "Keep-Alive", "Trailer":
		return fieldSkipped
	case "Http2-Settings":
		return fieldSkipped
	case "Cookie":
		return fieldCookie
	case "User-Agent":
		return fieldAgent
	case "Te":
		return fieldTE
	}
	return fieldPlain
}

// hasToken reports whether token is an element of one of the comma-separated lists in values.
func hasToken(values []string, token string) bool {
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(trimSpace(part), token) {
				return true
			}
		}
	}
	return false
}
