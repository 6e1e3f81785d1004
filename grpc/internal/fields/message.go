package fields

import (
	"strings"
	"unicode/utf8"
)

// EncodeMessage returns the value of grpc-message for text: what is not printable ASCII, and the percent sign, are
// percent-encoded. Bytes that are not UTF-8 become U+FFFD.
func EncodeMessage(text string) string {
	i := 0
	for i < len(text) && isPlain(text[i]) {
		i++
	}
	if i == len(text) {
		return text
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(text) + 16)
	b.WriteString(text[:i])
	var scratch [utf8.UTFMax]byte
	for _, r := range text[i:] {
		for _, c := range utf8.AppendRune(scratch[:0], r) {
			if isPlain(c) {
				b.WriteByte(c)
			} else {
				b.WriteByte('%')
				b.WriteByte(hex[c>>4])
				b.WriteByte(hex[c&15])
			}
		}
	}
	return b.String()
}

func isPlain(c byte) bool { return ' ' <= c && c <= '~' && c != '%' }

// DecodeMessage returns the text of a value of grpc-message. As the protocol asks, a percent sign that begins no escape
// stands for itself: a status is not lost because its text is malformed.
func DecodeMessage(v string) string {
	i := strings.IndexByte(v, '%')
	if i < 0 {
		return v
	}
	b := append(make([]byte, 0, len(v)), v[:i]...)
	for ; i < len(v); i++ {
		if v[i] == '%' && i+2 < len(v) {
			hi, lo := unhex(v[i+1]), unhex(v[i+2])
			if hi < 16 && lo < 16 {
				b = append(b, hi<<4|lo)
				i += 2
				continue
			}
		}
		b = append(b, v[i])
	}
	return string(b)
}

// unhex returns the value of a hexadecimal digit, 16 for another byte.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 16
}
