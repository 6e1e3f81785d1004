package http1

import (
	"iter"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// Elements returns an iterator over the elements of a comma-separated list, the value of one field line, without the
// white space around them. Empty elements are skipped, as a recipient must do (RFC 9110 §5.6.1). A comma within a
// quoted string also ends an element, so Elements is not for lists whose elements may contain one. The elements are
// parts of value.
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

// HasToken reports whether lines, which form one list (RFC 9110 §5.3), contain token, without regard to the case of
// ASCII letters. token must be in lower case.
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

// cutElement cuts the first element, which may be empty, off list. more reports whether a comma followed it.
func cutElement[S ~string | ~[]byte](list S) (element, rest S, more bool) {
	for i := range len(list) {
		if list[i] == ',' {
			return ascii.TrimOWS(list[:i]), list[i+1:], true
		}
	}
	return ascii.TrimOWS(list), list[len(list):], false
}
