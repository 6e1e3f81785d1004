package qpack

import (
	"unsafe"

	"github.com/shockwave-go/shockwave/internal/wire/huffman"
)

// Encoder encodes field sections. It has no state. Names must be in lower case (RFC 9114 §4.2).
type Encoder struct{}

// AppendPrefix appends what every section begins with (RFC 9204 §4.5.1).
func (Encoder) AppendPrefix(dst []byte) []byte { return append(dst, 0, 0) }

// AppendStatus appends :status with a value of three digits.
func (e Encoder) AppendStatus(dst []byte, status int) []byte {
	if uint(status) < uint(len(statusIndex)) && statusIndex[status] != 0 {
		return appendInt(dst, indexedBit|staticBit, indexedMask, int(statusIndex[status]))
	}
	dst = appendInt(dst, nameRefBit|staticName, nameRefMask, firstStatus)
	return append(dst, 3, byte('0'+status/100), byte('0'+status/10%10), byte('0'+status%10))
}

// AppendField appends a field.
func (e Encoder) AppendField(dst []byte, name, value string) []byte {
	return e.AppendFieldBytes(dst, bytesOf(name), bytesOf(value))
}

// AppendFieldBytes appends a field. Fields with credentials are marked, so that no intermediary puts them in a table (RFC
// 9204 §7.1.3).
func (Encoder) AppendFieldBytes(dst, name, value []byte) []byte {
	i, known := findStatic(name)
	if !known {
		if isSecret(name) {
			dst = appendText(dst, literalBit|neverBit, nameMask, huffmanName, name)
		} else {
			dst = appendText(dst, literalBit, nameMask, huffmanName, name)
		}
		return appendText(dst, 0, textMask, huffmanBit, value)
	}
	if at, ok := findValue(i, value); ok {
		return appendInt(dst, indexedBit|staticBit, indexedMask, at)
	}
	first := byte(nameRefBit | staticName)
	if i == authorization {
		first |= neverName
	}
	return appendText(appendInt(dst, first, nameRefMask, i), 0, textMask, huffmanBit, value)
}

// isSecret reports whether a field that is not in the static table logs its sender in.
func isSecret(name []byte) bool { return string(name) == "proxy-authorization" }

// appendText appends a string literal in the shorter of its two encodings (RFC 9204 §4.1.2). first are the bits in front of its
// length.
func appendText(dst []byte, first, mask, coded byte, s []byte) []byte {
	if n := huffman.Len(s); n < len(s) {
		return huffman.Append(appendInt(dst, first|coded, mask, n), s)
	}
	return append(appendInt(dst, first, mask, len(s)), s...)
}

// bytesOf returns the bytes of s, which must not be modified.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
