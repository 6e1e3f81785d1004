package fieldkind

import (
	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// ConnectionOptions reports whether a Connection field's value (RFC 9110 §7.6.1) contains "close", and whether it
// contains options other than "close" and "keep-alive", which a server handles itself.
func ConnectionOptions(value []byte) (closes, others bool) {
	for option := range http1.Elements(value) {
		switch {
		case ascii.EqualFold(option, "keep-alive"):
		case ascii.EqualFold(option, "close"):
			closes = true
		default:
			others = true
		}
	}
	return closes, others
}

// ConnectionSpecific reports whether a field other than Connection belongs to a connection of HTTP/1 and is forbidden in
// later versions (RFC 9113 §8.2.2, RFC 9114 §4.2).
func ConnectionSpecific(name []byte) bool {
	var scratch [20]byte
	switch len(name) {
	case len("upgrade"), len("keep-alive"), len("proxy-connection"):
	default:
		return false
	}
	switch string(AppendLower(scratch[:0], name)) {
	case "upgrade", "keep-alive", "proxy-connection":
		return true
	}
	return false
}

// AppendLower appends name with its ASCII letters in lower case.
func AppendLower(dst, name []byte) []byte {
	for _, c := range name {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// HasToken reports whether the list of the fields called name contains token, which is in lower case.
func HasToken(h *shockwave.Header, name, token string) bool {
	for v, i := h.Next(name, 0); i > 0; v, i = h.Next(name, i) {
		for element := range http1.Elements(v) {
			if ascii.EqualFold(element, token) {
				return true
			}
		}
	}
	return false
}
