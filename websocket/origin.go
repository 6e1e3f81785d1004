package websocket

import (
	"path"
	"slices"
	"strings"
)

// allows reports whether pages of the request's origin may connect (RFC 6455 §10.2).
func (s *settings) allows(origins []string, host string) bool {
	if s.CheckOrigin != nil {
		return len(origins) <= 1 && s.CheckOrigin(strings.Join(origins, ""), host)
	}
	if len(origins) == 0 {
		return true
	}
	scheme, from, ok := strings.Cut(origins[0], "://")
	if len(origins) > 1 || !ok {
		return slices.Contains(s.Origins, "*")
	}
	from = withoutPort(scheme, from)
	if strings.EqualFold(from, withoutPort(scheme, host)) {
		return true
	}
	for _, pattern := range s.Origins {
		if pattern == "*" {
			return true
		}
		name := from
		if strings.Contains(pattern, "://") {
			name = scheme + "://" + from
		}
		if matches(withoutPort(scheme, pattern), name) {
			return true
		}
	}
	return false
}

// withoutPort removes the port from host if it is the default port of scheme (RFC 6454 §4, 5).
func withoutPort(scheme, host string) string {
	switch strings.ToLower(scheme) {
	case "http":
		return strings.TrimSuffix(host, ":80")
	case "https":
		return strings.TrimSuffix(host, ":443")
	}
	return host
}

// swapDots exchanges dots and slashes, so that a "*" of path.Match, which stops at a slash, stops at the dots of a host.
var swapDots = strings.NewReplacer(".", "/", "/", ".")

// literal escapes the characters other than "*" that have a meaning for path.Match: an IPv6 address has brackets.
var literal = strings.NewReplacer("[", `\[`, "?", `\?`, `\`, `\\`)

// matches reports whether name matches pattern, in which "*" stands for any run of characters but ".".
func matches(pattern, name string) bool {
	pattern = literal.Replace(swapDots.Replace(strings.ToLower(pattern)))
	ok, err := path.Match(pattern, swapDots.Replace(strings.ToLower(name)))
	return ok && err == nil
}
