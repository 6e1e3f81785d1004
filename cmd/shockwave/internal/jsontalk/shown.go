package jsontalk

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// AppendShown appends the message p in readable form, or with digest its length and SHA-256.
func AppendShown(line, p []byte, digest bool, sum string) []byte {
	switch {
	case digest:
		return fmt.Appendf(line, "%d bytes, SHA-256 %s", len(p), sum)
	case Printable(p):
		return append(line, p...)
	}
	return strconv.AppendQuote(line, string(p))
}

// Printable reports whether b is UTF-8 text without control characters, which can be printed as it is.
func Printable(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(c rune) bool { return !unicode.IsPrint(c) })
}
