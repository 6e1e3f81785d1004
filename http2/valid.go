package http2

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// nameBytes holds the bytes that are allowed in field names: tchar except upper-case letters (RFC 9113 §8.2.1).
var nameBytes = func() (t [256]bool) {
	for c := range 256 {
		t[c] = ascii.Is(byte(c), ascii.Token) && (c < 'A' || c > 'Z')
	}
	return t
}()

func validName(name string) bool {
	for i := range len(name) {
		if !nameBytes[name[i]] {
			return false
		}
	}
	return len(name) > 0
}

// validValue reports whether a field value has no control bytes except tabs, and no white space at its ends. RFC 9113
// §8.2.1 forbids NUL, CR and LF; RFC 9110 §5.5 forbids the others.
func validValue(value string) bool {
	b := bytesOf(value)
	if len(b) == 0 {
		return true
	}
	if c := b[0]; c == ' ' || c == '\t' {
		return false
	}
	if c := b[len(b)-1]; c == ' ' || c == '\t' {
		return false
	}
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if maybeControl(binary.LittleEndian.Uint64(b[i:])) && ascii.Span(b[i:i+8], 0, ascii.Value) < 8 {
			return false
		}
	}
	return ascii.Span(b, i, ascii.Value) == len(b)
}

// maybeControl reports whether one of the eight bytes of v is below 32 or is 127. It also matches tabs, so the caller
// must look again.
func maybeControl(v uint64) bool {
	const each, high = 0x0101010101010101, 0x8080808080808080
	del := v ^ 0x7f*each
	return ((v-0x20*each)&^v|(del-each)&^del)&high != 0
}

// validTarget reports whether p has only bytes that are allowed in a request-target. A percent sign must come before two
// hexadecimal digits. In the query it need not, as in package http1: browsers send raw percent signs there.
func validTarget(p string) bool {
	query := false
	for i := range len(p) {
		c := p[i]
		if !ascii.Is(c, ascii.Target) {
			return false
		}
		if c == '%' && !query && (i+2 >= len(p) || !ascii.Is(p[i+1], ascii.Hex) || !ascii.Is(p[i+2], ascii.Hex)) {
			return false
		}
		query = query || c == '?'
	}
	return true
}

// oneSpelling reports whether an authority can be written in only one way. Percent-encoding and future address formats
// are refused, as in absolute targets of HTTP/1.1: another recipient might read them differently (RFC 9110 §4.2.3).
func oneSpelling(s string) bool {
	return strings.IndexByte(s, '%') < 0 && !(len(s) > 1 && s[0] == '[' && s[1]|0x20 == 'v')
}

// validScheme reports whether s is a scheme of RFC 3986 §3.1 in lower case.
func validScheme(s string) bool {
	if s == "https" || s == "http" {
		return true
	}
	for i := range len(s) {
		c := s[i]
		if letter := 'a' <= c && c <= 'z'; !letter && (i == 0 || !ascii.Is(c, ascii.Digit) && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return s != ""
}

// parseLength parses a content-length: a single decimal number.
func parseLength(s string) (n int64, ok bool) {
	for i := range len(s) {
		d := int64(s[i]) - '0'
		if d < 0 || d > 9 || n > (math.MaxInt64-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, s != ""
}

// cutPort splits an authority into the host and the port, which is empty or begins with a colon.
func cutPort(s string) (host, port string) {
	for i := len(s) - 1; i >= 0 && s[i] != ']'; i-- {
		if s[i] == ':' {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// hasPort reports whether an authority has a host and a port that is not 0.
func hasPort(s string) bool {
	host, port := cutPort(s)
	for i := 1; i < len(port); i++ {
		if port[i] != '0' {
			return host != ""
		}
	}
	return false
}

// sameAuthority reports whether two authorities are equal, ignoring case and the scheme's default port (RFC 3986 §6.2).
func sameAuthority(a, b, scheme string) bool {
	short := func(s string) string {
		host, port := cutPort(s)
		if port == ":" || port == ":443" && scheme == "https" || port == ":80" && scheme == "http" {
			return host
		}
		return s
	}
	a, b = short(a), short(b)
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if ascii.Lower(a[i]) != ascii.Lower(b[i]) {
			return false
		}
	}
	return true
}

// ValidField reports whether a field may be sent: the name is a lower-case token or a pseudo-field, the value has no
// control bytes and no white space at its ends (RFC 9113 §8.2.1), and the field is not connection-specific (RFC 9113
// §8.2.2).
func ValidField(name, value string) bool {
	if !validValue(value) {
		return false
	}
	switch name {
	case ":method", ":scheme", ":authority", ":path", ":protocol", ":status":
		return true
	case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "http2-settings":
		return false
	case "te":
		return value == "trailers"
	}
	return validName(name)
}

// AppendCookies appends the values of all cookie fields, joined by "; " as in HTTP/1.1 (RFC 9113 §8.2.3), and reports
// whether there was one.
func AppendCookies(dst []byte, fields []Field) (_ []byte, found bool) {
	for i := range fields {
		if fields[i].Name != "cookie" {
			continue
		}
		if found {
			dst = append(dst, "; "...)
		}
		dst = append(dst, fields[i].Value...)
		found = true
	}
	return dst, found
}
