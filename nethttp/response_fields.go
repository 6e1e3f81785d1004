package nethttp

import (
	"net/http"
	"slices"
	"strings"
)

// headField is one key of a Header map, with its values. kind is set for responses only.
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

// kindOf returns the kind of the field called key.
func kindOf(key string) fieldKind {
	switch key {
	case "Date":
		return dateField
	case "Trailer":
		return trailerField
	case "Content-Type":
		return contentType
	case "Content-Length":
		return contentLength
	case "Content-Encoding":
		return contentEncoding
	case "Transfer-Encoding":
		return transferEncoding
	}
	return ordinary
}

// appendFields appends the fields of h that may be sent, ordered by key, so that the order is always the same. Keys
// that are not tokens are left out, which includes those with http.TrailerPrefix. The case of a key does not matter: to
// the client, another spelling means the same as the canonical one (RFC 9110 §5.1).
func appendFields(dst []headField, h http.Header) []headField {
	for key, values := range h {
		if f := fieldOf(key); f != unknown || isToken(key) {
			dst = append(dst, headField{key, values, f.kind})
		}
	}
	sortFields(dst)
	return dst
}

// sortFields orders fields by key. Few of them, as most responses have, are ordered by insertion, which needs no calls.
func sortFields(fields []headField) {
	if len(fields) > 12 {
		slices.SortFunc(fields, func(a, b headField) int { return strings.Compare(a.key, b.key) })
		return
	}
	for i := range fields {
		for ; i > 0 && fields[i].key < fields[i-1].key; i-- {
			fields[i], fields[i-1] = fields[i-1], fields[i]
		}
	}
}

// cleanValue returns v without bytes that a field value must not contain: line breaks and other control bytes become
// spaces, so that no value can begin a new line (RFC 9110 §5.5). White space around the value is removed.
func cleanValue(v string) string {
	if v == "" {
		return v
	}
	if !isValue(v) {
		return trimmed(string(blankControls([]byte(v))))
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
