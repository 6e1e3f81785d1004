package http1

import (
	"iter"

	"github.com/shockwave-go/shockwave/internal/ascii"
)

// Elements yields the elements of a comma-separated list, the value of one field line, without the white space around
// them. Empty ones are left out, as a recipient must bear them (RFC 9110 §5.6.1). A comma within a quoted string ends an
// element too: lists whose elements may hold one are not for Elements. What it yields is part of value.
func Elements[S ~string | ~[]byte](value S) iter.Seq[S] {
	return func(yield func(S) bool) {
		rest := value
		for more := true; more; {
			var e S
			if e, rest, more = cutElement(rest); len(e) > 0 && !yield(e) {
				return
			}
		}
	}
}

// HasToken reports whether lines, which are one list (RFC 9110 §5.3), have token among their elements, whatever the case
// of its ASCII letters. token is in small letters.
func HasToken[S ~string | ~[]byte](token string, lines ...S) bool {
	for _, rest := range lines {
		for more := true; more; {
			var e S
			if e, rest, more = cutElement(rest); ascii.EqualFold(e, token) {
				return true
			}
		}
	}
	return false
}

// cutElement cuts the first element off a list, which may be empty, and reports whether a comma followed it.
func cutElement[S ~string | ~[]byte](list S) (element, rest S, more bool) {
	for i := range len(list) {
		if list[i] == ',' {
			return ascii.TrimOWS(list[:i]), list[i+1:], true
		}
	}
	return ascii.TrimOWS(list), list[len(list):], false
}
