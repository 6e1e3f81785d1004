package coding

import (
	"strings"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// kind is a coding that can be decoded.
type kind uint8

const (
	gzipKind kind = iota
	deflateKind
	brotliKind
	zstdKind
	kinds
)

var names = [kinds]string{"gzip", "deflate", "br", "zstd"}

// kindOf returns the kind of a coding. Its name is case-insensitive (RFC 9110 §8.4.1).
func kindOf(coding string) (kind, bool) {
	if ascii.EqualFold(coding, "x-gzip") { // the same as gzip (RFC 9110 §8.4.1.3)
		return gzipKind, true
	}
	for k, name := range names {
		if ascii.EqualFold(coding, name) {
			return kind(k), true
		}
	}
	return 0, false
}

// parse returns the n codings of a list in the order in which they were applied (RFC 9110 §8.4). "identity" should not be
// in such a list (RFC 9110 §8.4.1), but some servers send it; it is ignored.
func parse(codings string) (list [maxCodings]kind, n int, err error) {
	for coding := range http1.Elements(codings) {
		if ascii.EqualFold(coding, "identity") {
			continue
		}
		k, known := kindOf(coding)
		switch {
		case !known:
			return list, 0, &Error{strings.Clone(coding), ErrUnknown}
		case n == maxCodings:
			return list, 0, &Error{strings.Clone(codings), ErrTooMany}
		}
		list[n] = k
		n++
	}
	return list, n, nil
}
