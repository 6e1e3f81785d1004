// Package pageorigin decides which pages of browsers may connect: those of the server's own host, and those of listed origins.
package pageorigin

import (
	"path"
	"slices"
	"strings"
)

// Allowed reports whether pages of a request's origin may connect to host (RFC 6455 §10.2). origins are the values of the request's
// Origin field; a request without one does not come from a browser. An entry of listed is a host such as "example.com", in which "*"
// stands for any run of characters but ".", an origin with its scheme, or "*" alone for every origin.
func Allowed(origins []string, host string, listed []string) bool {
	if len(origins) == 0 {
		return true
	}
	scheme, from, ok := strings.Cut(origins[0], "://")
	if len(origins) > 1 || !ok {
		return slices.Contains(listed, "*")
	}
	from = withoutPort(scheme, from)
	if strings.EqualFold(from, withoutPort(scheme, host)) {
		return true
	}
	for _, pattern := range listed {
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
