package nethttp

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// userAgent is what net/http sends over HTTP/2, and we over HTTP/3, so that servers see no difference; userAgent1 is the one for
// HTTP/1.1.
const (
	userAgent  = "Go-http-client/2.0"
	userAgent1 = "Go-http-client/1.1"
)

// AppendTo implements carrier.Section. The fields have been checked.
func (k *call) AppendTo(f carrier.Fields, dst []byte) []byte {
	k.headBuilt, k.headLines = true, nil
	k.eachField(func(name, value string) { dst = f.AppendField(dst, name, value) })
	return dst
}

// eachField calls yield for each field of the head, pseudo-fields first (RFC 9113 §8.3.1).
func (k *call) eachField(yield func(name, value string)) {
	req := k.req
	yield(":authority", k.host)
	yield(":method", k.Method)
	if !k.Tunnel {
		yield(":path", k.path)
		yield(":scheme", req.URL.Scheme)
	}
	agent := false
	for name, values := range req.Header {
		switch fieldOf(name).class { // a Header map may hold names that are not in canonical form
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
			lower := lowerKey(name)
			for _, v := range values {
				yield(lower, trimSpace(v))
			}
		}
	}
	k.addedFields(agent, yield)
}

// addedFields calls yield for the fields that the Transport adds to those of the request. agent tells that the
// request has a User-Agent.
func (k *call) addedFields(agent bool, yield func(name, value string)) {
	if n := k.length; n > 0 && !k.Tunnel || n == 0 && sendsZero(k.Method) {
		yield("content-length", strconv.FormatInt(n, 10))
	}
	if len(k.req.Trailer) > 0 {
		for name := range k.req.Trailer {
			yield("trailer", lowerKey(name))
		}
	}
	if k.gzip {
		yield("accept-encoding", "gzip")
	}
	if !agent {
		yield("user-agent", userAgent)
	}
}

// sendsZero reports whether a request with this method has "Content-Length: 0" when it has no body.
func sendsZero(method string) bool { return method == "POST" || method == "PUT" || method == "PATCH" }

// eachCrumb splits a cookie field at its semicolons, which compresses better (RFC 9113 §8.2.3).
func eachCrumb(v string, yield func(name, value string)) {
	for {
		crumb, rest, more := strings.Cut(v, ";")
		if crumb = trimSpace(crumb); crumb != "" {
			yield("cookie", crumb)
		}
		if !more {
			return
		}
		v = rest
	}
}

// trimSpace removes white space from the ends of a value, where it is forbidden (RFC 9113 §8.2.1).
func trimSpace(v string) string {
	if n := len(v); n == 0 || v[0] > ' ' && v[n-1] > ' ' {
		return v
	}
	return strings.Trim(v, " \t")
}

// sendKind tells how a field of the request is sent.
type sendKind uint8

const (
	fieldPlain   sendKind = iota
	fieldSkipped          // it is sent in another form, or is about HTTP/1 connections (RFC 9113 §8.2.2)
	fieldCookie
	fieldAgent
	fieldTE
)

// classOf returns how the field called name, in canonical form, is sent.
func classOf(name string) sendKind {
	switch name {
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

// wantsGzip reports whether the Transport may ask for gzip on its own, by the same rule as http.Transport.
func wantsGzip(req *http.Request) bool {
	return req.Method != "HEAD" && req.Header.Get("Accept-Encoding") == "" && req.Header.Get("Range") == ""
}
