package http1

import (
	"bytes"

	"github.com/shockwave-go/shockwave/internal/ascii"
)

// ValidHost reports whether s is a valid Host field value: host [ ":" port ] as in RFC 3986 §3.2.2, with a port of at
// most 65535. An empty s is valid (RFC 9110 §7.2: the target has no authority). A port without a host is not (§4.2.1).
func ValidHost(s []byte) bool {
	if len(s) == 0 {
		return true
	}
	host, port, ok := splitHost(s)
	return ok && len(host) > 0 && (len(port) == 0 || validPort(port[1:]))
}

// validHostPort reports whether s is a valid target of CONNECT: it must have a host and a port, and port 0 is not
// allowed (RFC 9110 §9.3.6).
func validHostPort(s []byte) bool {
	host, port, ok := splitHost(s)
	return ok && len(host) > 0 && len(port) > 1 && validPort(port[1:]) && len(bytes.Trim(port[1:], "0")) > 0
}

// splitHost splits s into a host with valid grammar and the port, which is empty or begins with a colon.
func splitHost(s []byte) (host, port []byte, ok bool) {
	if len(s) > 0 && s[0] == '[' {
		end := bytes.IndexByte(s, ']')
		if end < 0 || !validIPLiteral(s[1:end]) {
			return nil, nil, false
		}
		host, port = s[:end+1], s[end+1:]
		return host, port, len(port) == 0 || port[0] == ':'
	}
	end := regNameEnd(s)
	return s[:end], s[end:], end == len(s) || s[end] == ':'
}

// regNameEnd returns the index of the first byte of s that is not part of a registered name. IPv4 addresses match the
// grammar of registered names.
func regNameEnd(s []byte) int {
	i := ascii.Span(s, 0, ascii.RegName)
	for i+2 < len(s) && s[i] == '%' && ascii.Is(s[i+1], ascii.Hex) && ascii.Is(s[i+2], ascii.Hex) {
		i = ascii.Span(s, i+3, ascii.RegName)
	}
	return i
}

// validPort reports whether s is a decimal number of at most 65535. It may be empty (RFC 3986 §3.2.3).
func validPort(s []byte) bool {
	port := 0
	for _, c := range s {
		if !ascii.Is(c, ascii.Digit) {
			return false
		}
		if port = port*10 + int(c-'0'); port > 65535 {
			return false
		}
	}
	return true
}
