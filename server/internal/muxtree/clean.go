package muxtree

import "path"

// IsClean reports whether p, which begins with a slash, has no empty segments and no segments "." or "..". A slash at
// its end is allowed.
func IsClean(p []byte) bool {
	for i := 1; i < len(p); i++ {
		if p[i-1] == '/' && (p[i] == '/' || isDots(p[i:])) {
			return false
		}
	}
	return true
}

// isDots reports whether the first segment of p is "." or "..".
func isDots(p []byte) bool {
	n := 0
	for n < len(p) && p[n] == '.' {
		n++
	}
	return (n == 1 || n == 2) && (n == len(p) || p[n] == '/')
}

// Clean returns p without empty segments, "." and "..".
func Clean(p []byte) string {
	clean := path.Clean(string(p))
	if p[len(p)-1] == '/' && clean != "/" {
		clean += "/"
	}
	return clean
}
