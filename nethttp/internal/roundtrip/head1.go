package roundtrip

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
	"github.com/shockwave-go/shockwave/nethttp/internal/headermap"
)

// AppendHTTP1 implements httpclient.Head, with the fields in net/http's order. The fields have been checked. If
// direct is false, the head is for a proxy that forwards.
func (k *call) AppendHTTP1(dst []byte, direct bool) []byte {
	k.headBuilt = true
	start := len(dst)
	dst = append(append(dst, k.Method...), ' ')
	dst = k.appendTarget(dst, direct)
	dst = append(dst, " HTTP/1.1\r\n"...)
	dst = appendLine(dst, "Host", k.host)
	if agent, ok := k.req.Header["User-Agent"]; !ok {
		dst = appendLine(dst, "User-Agent", userAgent1)
	} else if len(agent) > 0 && agent[0] != "" {
		dst = appendLine(dst, "User-Agent", agent[0])
	}
	dst = k.appendFraming(dst)
	dst = k.appendFields(dst)
	if k.gzip {
		dst = appendLine(dst, "Accept-Encoding", "gzip")
	}
	if k.addClose && !k.req.Close {
		dst = appendLine(dst, "Connection", "close")
	}
	if !direct && k.proxyAuth != "" {
		dst = appendLine(dst, "Proxy-Authorization", k.proxyAuth)
	}
	if k.trace != nil && k.trace.WroteHeaderField != nil {
		k.headLines = slices.Clone(dst[start:])
	}
	return append(dst, '\r', '\n')
}

// appendTarget appends the request-target (RFC 9112 §3.2).
func (k *call) appendTarget(dst []byte, direct bool) []byte {
	u := k.req.URL
	switch {
	case !direct && u.Opaque == "":
		dst = append(append(append(dst, u.Scheme...), "://"...), k.host...)
	case k.Tunnel && u.Path == "":
		if u.Opaque != "" {
			return append(dst, u.Opaque...)
		}
		return append(dst, k.host...)
	case u.Opaque != "":
		return append(dst, u.RequestURI()...)
	}
	return append(dst, k.path...)
}

// appendFraming appends the fields that delimit the body, and Connection: close if the request has Close set.
func (k *call) appendFraming(dst []byte) []byte {
	req := k.req
	if k.addClose && req.Close {
		dst = appendLine(dst, "Connection", "close")
	}
	switch n := k.length; {
	case k.Tunnel:
	case n > 0 || n == 0 && (sendsZero(k.Method) || wantsLength(req)):
		dst = append(dst, "Content-Length: "...)
		dst = append(strconv.AppendInt(dst, n, 10), '\r', '\n')
	case n < 0:
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
		if len(req.Trailer) > 0 {
			dst = k.appendTrailerNames(dst)
		}
	}
	return dst
}

// wantsLength reports whether a request has the transfer coding "identity", which makes net/http send a
// Content-Length of 0.
func wantsLength(req *http.Request) bool {
	return len(req.TransferEncoding) == 1 && req.TransferEncoding[0] == "identity" && req.Method != "GET" && req.Method != "HEAD" && req.Method != ""
}

func (k *call) appendTrailerNames(dst []byte) []byte {
	var names []string
	for name := range k.req.Trailer {
		names = append(names, headermap.CanonicalKey(name))
	}
	slices.Sort(names)
	return appendLine(dst, "Trailer", strings.Join(names, ","))
}

// appendFields appends the request's fields, ordered by name, but those that AppendHTTP1 treats specially.
func (k *call) appendFields(dst []byte) []byte {
	fields := k.fields[:0]
	for name, values := range k.req.Header {
		switch name {
		case "Host", "User-Agent", "Content-Length", "Transfer-Encoding", "Trailer":
		default:
			fields = append(fields, headermap.Line{Key: name, Values: values})
		}
	}
	headermap.SortLines(fields)
	k.fields = fields
	for i := range fields {
		for _, v := range fields[i].Values {
			dst = appendLine(dst, fields[i].Key, v)
		}
	}
	return dst
}

// appendLine appends a field line. name and value have been checked.
func appendLine(dst []byte, name, value string) []byte {
	dst = append(append(dst, name...), ": "...)
	return append(append(dst, ascii.TrimOWS(value)...), '\r', '\n')
}
