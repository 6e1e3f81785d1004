package nethttp

import (
	"net/http"
	"slices"
	"strings"
)

// headField is one key of a response's Header map, with its values.
type headField struct {
	key    string
	values []string
	kind   fieldKind
}

// fieldKind tells apart the fields that the response treats specially.
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

// kindOf returns the kind of the field called key. Case does not matter: to the client, a key that the handler has
// put into the map in another spelling means the same as the canonical one (RFC 9110 §5.1).
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

// appendFields appends the fields of h that may be sent, ordered by key, so that the order is always the same. Keys
// that are not tokens are left out, which includes those with http.TrailerPrefix.
func appendFields(dst []headField, h http.Header) []headField {
	for key, values := range h {
		if kind := kindOf(key); kind != ordinary || isToken(key) { // the names that have a kind are tokens
			dst = append(dst, headField{key, values, kind})
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

// cleanValue returns v without bytes that a field value must not contain: line breaks and other control bytes become
// spaces, so that no value can begin a new line (RFC 9110 §5.5). White space around the value is removed.
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
