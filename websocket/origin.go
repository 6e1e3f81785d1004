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

// withoutPort drops the port from host if it is the one that scheme has anyway (RFC 6454 §4, 5).
func withoutPort(scheme, host string) string {
	switch strings.ToLower(scheme) {
	case "http":
		return strings.TrimSuffix(host, ":80")
	case "https":
		return strings.TrimSuffix(host, ":443")
	}
	return host
}

// dots has path.Match, whose "*" stops at "/", stop at the dots of a name.
var dots = strings.NewReplacer(".", "/", "/", ".")

func matches(pattern, name string) bool {
	ok, err := path.Match(dots.Replace(strings.ToLower(pattern)), dots.Replace(strings.ToLower(name)))
	return ok && err == nil
}
