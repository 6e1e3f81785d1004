package nethttp

import (
	"net/http"
	"slices"
	"strings"
)

// headField is one key of an answer's Header map, with its values.
type headField struct {
	key    string
	values []string
	kind   fieldKind
}

// fieldKind says what a field is to the response.
type fieldKind uint8

const (
	ordinary fieldKind = iota
	contentLength
	contentType
	contentEncoding
	transferEncoding
	trailerField
	dateField
)

// kindOf looks key up. Spelling does not matter: what a handler puts into the map under a key of its own making means
// to the client what it would mean under the canonical one (RFC 9110 §5.1).
func kindOf(key string) fieldKind {
	name, kind := "", ordinary
	switch len(key) {
	case 4:
		name, kind = "Date", dateField
	case 7:
		name, kind = "Trailer", trailerField
	case 12:
		name, kind = "Content-Type", contentType
	case 14:
		name, kind = "Content-Length", contentLength
	case 16:
		name, kind = "Content-Encoding", contentEncoding
	case 17:
		name, kind = "Transfer-Encoding", transferEncoding
	}
	if key == name || strings.EqualFold(key, name) {
		return kind
	}
	return ordinary
}

// appendFields appends the fields of h that may be sent, ordered by key: one answer looks like the next. Keys that are
// no token are left out, among them those with http.TrailerPrefix.
func appendFields(dst []headField, h http.Header) []headField {
	for key, values := range h {
		if isToken(key) {
			dst = append(dst, headField{key, values, kindOf(key)})
		}
	}
	if len(dst) > 1 {
		slices.SortFunc(dst, func(a, b headField) int { return strings.Compare(a.key, b.key) })
	}
	return dst
}

// isToken reports whether s is a token (RFC 9110 §5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		if !tokenBytes[s[i]] {
			return false
		}
	}
	return s != ""
}

// cleanValue returns v without what a field value must not hold: line breaks and other control bytes become spaces, so
// that no value can begin a line of its own (RFC 9110 §5.5), and the white space around it goes.
func cleanValue(v string) string {
	if v == "" {
		return v
	}
	for i := range len(v) {
		if isControl(v[i]) {
			return trimmed(string(blankControls([]byte(v))))
		}
	}
	if isBlank(v[0]) || isBlank(v[len(v)-1]) {
		return trimmed(v)
	}
	return v
}

// blankControls makes the control bytes of b spaces. Other bytes stay, whether they are UTF-8 or not.
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
