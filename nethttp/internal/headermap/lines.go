package headermap

import (
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/internal/wire/fieldkind"
)

// Line is one key of a Header map, with its values. Kind is set for responses only.
type Line struct {
	Key    string
	Values []string
	Kind   fieldkind.Kind
}

// ByteSet returns the set of the bytes in s.
func ByteSet(s string) (set [256]bool) {
	for i := range len(s) {
		set[s[i]] = true
	}
	return set
}

// SortLines orders lines by key. Few of them, as most responses have, are ordered by insertion, which needs no calls.
func SortLines(lines []Line) {
	if len(lines) > 12 {
		slices.SortFunc(lines, func(a, b Line) int { return strings.Compare(a.Key, b.Key) })
		return
	}
	for i := range lines {
		for ; i > 0 && lines[i].Key < lines[i-1].Key; i-- {
			lines[i], lines[i-1] = lines[i-1], lines[i]
		}
	}
}
