package http1

import (
	"bytes"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// ValidHost reports whether s is a valid Host field value: host [ ":" port ] as in RFC 3986 §3.2.2, with a port of at
// most 65535. An empty s is valid (RFC 9110 §7.2: the target has no authority). A port without a host is not (§4.2.1).
func ValidHost(s []byte) bool {
	end := hostEnd(s)
	return end == len(s) || end > 0 && s[end] == ':' && validPort(s[end+1:])
}

// validHostPort reports whether s is a valid target of CONNECT: it must have a host and a port, and port 0 is not
// allowed (RFC 9110 §9.3.6).
func validHostPort(s []byte) bool {
	end := hostEnd(s)
	return end > 0 && end < len(s) && s[end] == ':' && validPort(s[end+1:]) && len(bytes.Trim(s[end+1:], "0")) > 0
}

// hostEnd returns the index of the first byte of s after a host with valid grammar, 0 if there is no host. IPv4 addresses
// match the grammar of registered names.
func hostEnd(s []byte) int {
	if len(s) > 0 && s[0] == '[' {
		return ipLiteralEnd(s)
	}
	i := ascii.Span(s, 0, ascii.RegName)
	for i+2 < len(s) && s[i] == '%' && ascii.Is(s[i+1], ascii.Hex) && ascii.Is(s[i+2], ascii.Hex) {
		i = ascii.Span(s, i+3, ascii.RegName)
	}
	return i
}

// validPort reports whether s is a decimal number of at most 65535. It may be empty (RFC 3986 §3.2.3).
func validPort(s []byte) bool {
	port := uint(0)
	for _, c := range s {
		digit := uint(c - '0') // large if c is less
		if port = port*10 + digit; digit > 9 || port > 65535 {
			return false
		}
	}
	return true
}
