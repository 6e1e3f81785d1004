package nethttp

import (
	"net/textproto"
	"strings"
	"testing"
)

func TestCommonKeysAreCanonical(t *testing.T) {
	for lower, key := range commonKeys {
		if want := textproto.CanonicalMIMEHeaderKey(lower); key != want {
			t.Errorf("%q stands for %q, want %q", lower, key, want)
		}
		if n := testing.AllocsPerRun(10, func() { canonicalKey(lower) }); n != 0 {
			t.Errorf("%q: %v allocations", lower, n)
		}
	}
}

func FuzzCanonicalKey(f *testing.F) {
	for _, name := range []string{"", "a", "A", "-", "a-b", "User-Agent", "user-agent", "USER-AGENT", "sec-ch-ua", "x y",
		"é", "X_Y", "x\x00", "Www-authenticate", "eTag", "A-b", "1-a", strings.Repeat("a-", 40)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got, want := canonicalKey(name), textproto.CanonicalMIMEHeaderKey(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	})
}

// TestEveryLetterIsLookedAt: each byte of a name, as the first of a word and as the second, counts.
func TestEveryLetterIsLookedAt(t *testing.T) {
	for c := range tokenBytes {
		if !tokenBytes[c] {
			continue
		}
		for _, name := range []string{"F" + string(rune(c)), "F-" + string(rune(c)) + "x"} {
			if got, want := canonicalKey(name), textproto.CanonicalMIMEHeaderKey(name); got != want {
				t.Errorf("%q: %q, want %q", name, got, want)
			}
		}
	}
}
