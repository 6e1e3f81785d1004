package nethttp

import (
	"net/url"
	"strings"
)

// pathPlain holds the bytes that a path may be made of and still stand for themselves: what url.URL would neither
// decode nor write in another way.
var pathPlain = byteSet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~$&+,/:;=@")

// byteSet returns the set of s's bytes.
func byteSet(s string) (set [256]bool) {
	for i := range len(s) {
		set[s[i]] = true
	}
	return set
}

// plainTarget parses a target in origin-form without anything that needs decoding, and reports whether it was one. It
// does what url.ParseRequestURI does, without allocating.
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

// plainQuery reports whether q is one of visible ASCII; what stands behind "?" is kept as it is.
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
