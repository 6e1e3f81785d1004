package roundtrip

import (
	"strings"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// userAgent is what net/http sends over HTTP/2, and we over HTTP/3, so that servers see no difference; userAgent1 is the one for
// HTTP/1.1.
const (
	userAgent  = "Go-http-client/2.0"
	userAgent1 = "Go-http-client/1.1"
)

// hasToken reports whether token is an element of one of the comma-separated lists in values.
func hasToken(values []string, token string) bool {
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(ascii.TrimOWS(part), token) {
				return true
			}
		}
	}
	return false
}
