package nethttp

import (
	"net/url"
	"strings"

	"github.com/shockwave-go/shockwave/nethttp/internal/headermap"
)

// pathPlain is the set of bytes that url.URL neither decodes nor escapes in a path.
var pathPlain = headermap.ByteSet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~$&+,/:;=@")

// plainTarget parses a target in origin-form that needs no decoding, and reports whether it was one. It does the same
// as url.ParseRequestURI, without allocating.
func plainTarget(target string, u *url.URL) bool {
	if target == "" || target[0] != '/' {
		return false
	}
	for i := range len(target) {
		if pathPlain[target[i]] {
			continue
		}
		if target[i] != '?' || !plainQuery(target[i+1:]) {
			return false
		}
		u.Path, u.RawQuery = target[:i], target[i+1:]
		u.ForceQuery = u.RawQuery == ""
		return true
	}
	u.Path = target
	return true
}

// plainQuery reports whether q consists of visible ASCII and has no "#"; such a query is kept as it is.
func plainQuery(q string) bool {
	if strings.IndexByte(q, '#') >= 0 {
		return false
	}
	for i := range len(q) {
		if q[i] <= ' ' || q[i] >= 0x7f {
			return false
		}
	}
	return true
}
