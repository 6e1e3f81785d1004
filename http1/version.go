package http1

import "github.com/shockwave-go/shockwave/internal/wire/ascii"

const versionSize = len("HTTP/1.1")

// scanVersion reads HTTP-version = "HTTP/" DIGIT "." DIGIT from the start of b, which is case-sensitive (RFC 9112
// §2.3). minor is -1 for a major version other than 1. whole is false if b ends before the version does.
func scanVersion(b []byte) (minor int, whole bool, err *Error) {
	if len(b) >= versionSize {
		switch string(b[:versionSize]) {
		case "HTTP/1.1":
			return 1, true, nil
		case "HTTP/1.0":
			return 0, true, nil
		}
	}
	const pattern = "HTTP/0.0"
	for i, c := range b[:min(len(b), versionSize)] {
		want := pattern[i]
		if c != want && (want != '0' || !ascii.Is(c, ascii.Digit)) {
			return 0, false, errVersion
		}
	}
	if len(b) < versionSize {
		return 0, false, nil
	}
	if b[5] != '1' {
		return -1, true, nil
	}
	return int(b[7] - '0'), true, nil
}
