package nethttp

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/http2"
)

// userAgent is what net/http's HTTP/2 says, whose handlers see no difference; userAgent1 is HTTP/1.1's.
const (
	userAgent  = "Go-http-client/2.0"
	userAgent1 = "Go-http-client/1.1"
)

// AppendHead implements httpclient.Head. The fields have been checked.
func (k *call) AppendHead(wire *http2.Conn, dst []byte) []byte {
	k.headBuilt, k.headLines = true, nil
	k.eachField(func(name, value string) { dst = wire.AppendField(dst, name, value) })
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
		switch sendClass(name) {
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

// addedFields are those that the request's fields do not say.
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

// sendsZero tells of which methods a request without a body says so.
func sendsZero(method string) bool { return method == "POST" || method == "PUT" || method == "PATCH" }

// eachCrumb cuts a cookie field at its semicolons, which compresses better (RFC 9113 §8.2.3).
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

// trimSpace takes white space off the ends of a value, where it is forbidden (RFC 9113 §8.2.1).
func trimSpace(v string) string {
	if n := len(v); n == 0 || v[0] > ' ' && v[n-1] > ' ' {
		return v
	}
	return strings.Trim(v, " \t")
}

type sendKind uint8

const (
	fieldPlain   sendKind = iota
	fieldSkipped          // it is said otherwise, or is about connections of HTTP/1 (RFC 9113 §8.2.2)
	fieldCookie
	fieldAgent
	fieldTE
)

// sendClass says what becomes of a field. Maps may hold names in other forms than the canonical one.
func sendClass(name string) sendKind {
	switch len(name) {
	case 2, 4, 6, 7, 10, 14, 16, 17:
	default:
		return fieldPlain
	}
	switch canonicalKey(name) {
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

// lowerKeys are the common names in lower case.
var lowerKeys = func() map[string]string {
	m := make(map[string]string, len(commonKeys))
	for lower, key := range commonKeys {
		m[key] = lower
	}
	return m
}()

// lowerKey returns a name as it is sent.
func lowerKey(name string) string {
	if lower, ok := lowerKeys[name]; ok {
		return lower
	}
	return strings.ToLower(name)
}

// hasToken reports whether one of the values, or a part of one between commas, is token.
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

// wantsGzip reports whether gzip is asked for although the request does not say so, as http.Transport does.
func wantsGzip(req *http.Request) bool {
	return req.Method != "HEAD" && req.Header.Get("Accept-Encoding") == "" && req.Header.Get("Range") == ""
}
