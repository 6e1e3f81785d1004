package roundtrip

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
	"github.com/shockwave-go/shockwave/nethttp/internal/headermap"
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
		switch headermap.FieldOf(name).Class { // a Header map may hold names that are not in canonical form
		case headermap.Skipped:
		case headermap.Cookie:
			for _, v := range values {
				eachCrumb(v, yield)
			}
		case headermap.UserAgent:
			agent = true
			if len(values) > 0 && values[0] != "" {
				yield("user-agent", ascii.TrimOWS(values[0]))
			}
		case headermap.TE:
			if hasToken(values, "trailers") {
				yield("te", "trailers")
			}
		default:
			lower := headermap.LowerKey(name)
			for _, v := range values {
				yield(lower, ascii.TrimOWS(v))
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
			yield("trailer", headermap.LowerKey(name))
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
		if crumb = ascii.TrimOWS(crumb); crumb != "" {
			yield("cookie", crumb)
		}
		if !more {
			return
		}
		v = rest
	}
}

// wantsGzip reports whether the Transport may ask for gzip on its own, by the same rule as http.Transport.
func wantsGzip(req *http.Request) bool {
	return req.Method != "HEAD" && req.Header.Get("Accept-Encoding") == "" && req.Header.Get("Range") == ""
}
