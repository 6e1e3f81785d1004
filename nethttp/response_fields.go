package nethttp

import (
	"net/http"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
	"github.com/shockwave-go/shockwave/nethttp/internal/headermap"
)

// appendFields appends the fields of h that may be sent, ordered by key, so that the order is always the same. Keys
// that are not tokens are left out, which includes those with http.TrailerPrefix. The case of a key does not matter: to
// the client, another spelling means the same as the canonical one (RFC 9110 §5.1).
func appendFields(dst []headermap.Line, h http.Header) []headermap.Line {
	for key, values := range h {
		if f := headermap.FieldOf(key); f != headermap.Unknown || headermap.IsToken(key) {
			dst = append(dst, headermap.Line{Key: key, Values: values, Kind: f.Kind})
		}
	}
	headermap.SortLines(dst)
	return dst
}

// cleanValue returns v without bytes that a field value must not contain: line breaks and other control bytes become
// spaces, so that no value can begin a new line (RFC 9110 §5.5). White space around the value is removed.
func cleanValue(v string) string {
	if v == "" {
		return v
	}
	if !http1.ValidFieldValue([]byte(v)) {
		return ascii.TrimOWS(string(blankControls([]byte(v))))
	}
	if isBlank(v[0]) || isBlank(v[len(v)-1]) {
		return ascii.TrimOWS(v)
	}
	return v
}

// blankControls replaces the control bytes in b with spaces. Other bytes stay, whether they are valid UTF-8 or not.
func blankControls(b []byte) []byte {
	for i, c := range b {
		if isControl(c) {
			b[i] = ' '
		}
	}
	return b
}

func isControl(c byte) bool { return c < ' ' && c != '\t' || c == 0x7f }

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
