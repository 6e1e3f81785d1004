package nethttp

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// AppendHTTP1 implements httpclient.Head, in net/http's order. The fields have been checked.
func (k *call) AppendHTTP1(dst []byte, straight bool) []byte {
	k.headBuilt = true
	start := len(dst)
	dst = append(append(dst, k.Method...), ' ')
	dst = k.appendTarget(dst, straight)
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
	if !straight && k.proxyAuth != "" {
		dst = appendLine(dst, "Proxy-Authorization", k.proxyAuth)
	}
	if k.trace != nil && k.trace.WroteHeaderField != nil {
		k.headLines = slices.Clone(dst[start:])
	}
	return append(dst, '\r', '\n')
}

// appendTarget appends the request-target (RFC 9112 §3.2).
func (k *call) appendTarget(dst []byte, straight bool) []byte {
	u := k.req.URL
	switch {
	case !straight && u.Opaque == "":
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

// appendFraming appends what says how the body is delimited, and that the connection ends, if the request says so.
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

// wantsLength reports whether a request says that it has no coding, and so wants its length said.
func wantsLength(req *http.Request) bool {
	return len(req.TransferEncoding) == 1 && req.TransferEncoding[0] == "identity" && req.Method != "GET" && req.Method != "HEAD" && req.Method != ""
}

func (k *call) appendTrailerNames(dst []byte) []byte {
	names := k.nameBuf[:0]
	for name := range k.req.Trailer {
		names = append(names, canonicalKey(name))
	}
	slices.Sort(names)
	k.nameBuf = names
	return appendLine(dst, "Trailer", strings.Join(names, ","))
}

// appendFields appends the request's fields by their names.
func (k *call) appendFields(dst []byte) []byte {
	h := k.req.Header
	names := k.nameBuf[:0]
	for name := range h {
		switch name {
		case "Host", "User-Agent", "Content-Length", "Transfer-Encoding", "Trailer":
		default:
			names = append(names, name)
		}
	}
	slices.Sort(names)
	k.nameBuf = names
	for _, name := range names {
		for _, v := range h[name] {
			dst = appendLine(dst, name, v)
		}
	}
	return dst
}

// appendLine appends a field, which has been checked.
func appendLine(dst []byte, name, value string) []byte {
	dst = append(append(dst, name...), ": "...)
	return append(append(dst, trimSpace(value)...), '\r', '\n')
}
