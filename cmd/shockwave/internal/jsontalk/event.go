package jsontalk

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// Event is a JSON object that is being written. Members appear in the order of the calls. End must be called last.
type Event struct {
	out *Output
	b   []byte
}

// key appends a member's name.
func (e *Event) key(name string) {
	if len(e.b) > e.out.begun {
		e.b = append(e.b, ',')
	}
	e.b = append(append(append(e.b, '"'), name...), `":`...)
}

// Str writes a string member. Bytes that are not valid UTF-8 are replaced by U+FFFD.
func (e *Event) Str(name, value string) *Event {
	e.key(name)
	e.b = appendString(e.b, value)
	return e
}

// Int writes a number member.
func (e *Event) Int(name string, value int64) *Event {
	e.key(name)
	e.b = strconv.AppendInt(e.b, value, 10)
	return e
}

// Bool writes a boolean member.
func (e *Event) Bool(name string, value bool) *Event {
	e.key(name)
	e.b = strconv.AppendBool(e.b, value)
	return e
}

// Raw writes a member whose value is JSON already. It writes nothing if value is empty.
func (e *Event) Raw(name string, value json.RawMessage) *Event {
	if len(value) > 0 {
		e.key(name)
		e.b = append(e.b, value...)
	}
	return e
}

// Payload writes p as member "text" if it is UTF-8, else in base64 as member "base64".
func (e *Event) Payload(p []byte) *Event {
	if utf8.Valid(p) {
		e.key("text")
		e.b = appendString(e.b, p)
		return e
	}
	e.key("base64")
	e.b = append(base64.StdEncoding.AppendEncode(append(e.b, '"'), p), '"')
	return e
}

// Digest writes the result of the function Digest, in place of a payload.
func (e *Event) Digest(sum string) *Event { return e.Str("sha256", sum) }

// Digest returns the SHA-256 of p in hex.
func Digest(p []byte) string {
	sum := sha256.Sum256(p)
	return hex.EncodeToString(sum[:])
}

// plain says which ASCII characters need no escape in a JSON string (RFC 8259 §7).
var plain = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return t
}()

// appendString appends s as a JSON string.
func appendString[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if plain[c] {
				i++
				continue
			}
			dst = appendEscape(append(dst, s[done:i]...), c)
			i++
			done = i
			continue
		}
		r, size := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		if r == utf8.RuneError && size == 1 {
			dst = append(append(dst, s[done:i]...), "\uFFFD"...)
			done = i + 1
		}
		i += size
	}
	return append(append(dst, s[done:]...), '"')
}

// appendEscape appends the escape of an ASCII character.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
}
