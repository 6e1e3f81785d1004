package http1

import (
	"bytes"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// ipLiteralEnd returns the index of the first byte of s after an IP literal in brackets, 0 if there is none. The first
// bracket has been seen.
func ipLiteralEnd(s []byte) int {
	end := bytes.IndexByte(s, ']')
	if end < 0 || !validIPLiteral(s[1:end]) {
		return 0
	}
	return end + 1
}

// validIPLiteral reports whether s may stand between the brackets of a host: IPv6address or IPvFuture (RFC 3986
// §3.2.2). A zone is neither.
func validIPLiteral(s []byte) bool {
	if len(s) > 0 && s[0]|0x20 == 'v' {
		return validIPvFuture(s[1:])
	}
	return validIPv6(s)
}

// validIPvFuture checks the part after the "v": 1*HEXDIG "." 1*( unreserved / sub-delims / ":" ).
func validIPvFuture(s []byte) bool {
	version, rest, found := bytes.Cut(s, []byte{'.'})
	if !found || len(version) == 0 || len(rest) == 0 || !ascii.All(version, ascii.Hex) {
		return false
	}
	for _, c := range rest {
		if c != ':' && !ascii.Is(c, ascii.RegName) {
			return false
		}
	}
	return true
}

// validIPv6 checks for eight groups of one to four hexadecimal digits. "::" may replace one run of groups, and an IPv4
// address the last two.
func validIPv6(s []byte) bool {
	groups, gap := 0, false
	for len(s) > 0 {
		if len(s) >= 2 && s[0] == ':' && s[1] == ':' {
			if gap {
				return false
			}
			gap, s = true, s[2:]
			if len(s) == 0 {
				break
			}
		} else if groups > 0 {
			if s[0] != ':' {
				return false
			}
			s = s[1:]
		}
		digits := ascii.Span(s, 0, ascii.Hex)
		if digits < len(s) && s[digits] == '.' {
			groups += 2
			return validIPv4(s) && (groups == 8 || gap && groups < 8)
		}
		if digits < 1 || digits > 4 {
			return false
		}
		groups++
		s = s[digits:]
	}
	return groups == 8 && !gap || gap && groups < 8
}

// validIPv4 checks for four decimal octets without leading zeros.
func validIPv4(s []byte) bool {
	for octet := range 4 {
		if octet > 0 {
			if len(s) == 0 || s[0] != '.' {
				return false
			}
			s = s[1:]
		}
		digits := ascii.Span(s, 0, ascii.Digit)
		if digits < 1 || digits > 3 || digits > 1 && s[0] == '0' {
			return false
		}
		value := 0
		for _, c := range s[:digits] {
			value = value*10 + int(c-'0')
		}
		if value > 255 {
			return false
		}
		s = s[digits:]
	}
	return len(s) == 0
}
