package coding

import (
	"strings"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/ascii"
)

// kind is a coding that can be undone.
type kind uint8

const (
	gzipKind kind = iota
	deflateKind
	brotliKind
	zstdKind
	kinds
)

var names = [kinds]string{"gzip", "deflate", "br", "zstd"}

// kinded returns the kind of a coding, whatever the case of its letters (RFC 9110 §8.4.1).
func kinded(coding string) (kind, bool) {
	if ascii.EqualFold(coding, "x-gzip") { // RFC 9110 §8.4.1.3: the same
		return gzipKind, true
	}
	for k, name := range names {
		if ascii.EqualFold(coding, name) {
			return kind(k), true
		}
	}
	return 0, false
}

// parse returns the codings of a list in the order in which they were applied (RFC 9110 §8.4), and how many. "identity"
// should not be in such a list (RFC 9110 §8.4.1); some servers send it, and it changes nothing.
func parse(codings string) (list [maxCodings]kind, n int, err error) {
	for coding := range http1.Elements(codings) {
		if ascii.EqualFold(coding, "identity") {
			continue
		}
		k, known := kinded(coding)
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
