package http1

import (
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// A list is split at its commas, without empty elements and without white space around elements (RFC 9110 §5.6.1).
func TestElements(t *testing.T) {
	for _, tc := range []struct {
		list string
		want []string
	}{
		{"", nil},
		{" \t", nil},
		{",", nil},
		{"foo , ,bar,charlie", []string{"foo", "bar", "charlie"}}, // of RFC 9110 §5.6.1.2
		{", ,foo,,", []string{"foo"}},
		{"\tfoo bar ,\t", []string{"foo bar"}},
		{"foo;q=\"a,b\"", []string{"foo;q=\"a", "b\""}},
		{"foo\u00a0,\u0085", []string{"foo\u00a0", "\u0085"}}, // no white space of HTTP
	} {
		if got := slices.Collect(Elements(tc.list)); !slices.Equal(got, tc.want) {
			t.Errorf("%q: %q, want %q", tc.list, got, tc.want)
		}
	}
}

// A list can be gone through twice, and left early.
func TestElementsAgain(t *testing.T) {
	list := Elements([]byte("a, b, c"))
	for range 2 {
		var got []string
		for e := range list {
			if got = append(got, string(e)); len(got) == 2 {
				break
			}
		}
		if !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("got %q", got)
		}
	}
}

// HasToken finds a token in any line, in any case of ASCII letters, and only as a whole element.
func TestHasToken(t *testing.T) {
	for _, tc := range []struct {
		lines []string
		want  bool
	}{
		{nil, false},
		{[]string{""}, false},
		{[]string{"close"}, true},
		{[]string{"keep-alive", " x ,\tCLOSE"}, true},
		{[]string{"close-notify, foreclose"}, false},
		{[]string{"close=1"}, false},
		{[]string{"clo", "se"}, false},
		{[]string{"clo\u017fe"}, false}, // a letter that folds to s, but not in ASCII
	} {
		if got := HasToken("close", tc.lines...); got != tc.want {
			t.Errorf("%q: %t", tc.lines, got)
		}
		var lines [][]byte
		for _, line := range tc.lines {
			lines = append(lines, []byte(line))
		}
		if got := HasToken("close", lines...); got != tc.want {
			t.Errorf("%q as bytes: %t", tc.lines, got)
		}
	}
}

// Going through lists allocates nothing.
func TestListsAllocateNothing(t *testing.T) {
	text, bytes := "keep-alive, Upgrade", []byte("keep-alive, Upgrade")
	n := 0
	wantNoAllocs(t, "lists", func() {
		for e := range Elements(text) {
			n += len(e)
		}
		for e := range Elements(bytes) {
			n += len(e)
		}
		if !HasToken("upgrade", text) || !HasToken("upgrade", bytes) {
			t.Error("no upgrade")
		}
	})
}

// The same elements as strings.Split finds, as a string and as bytes.
func FuzzElements(f *testing.F) {
	for _, s := range []string{"", "a", " a ,, b\t", "a,b;c=\"d,e\"", "\x00,\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var want []string
		for _, e := range strings.Split(s, ",") {
			if e = strings.Trim(e, " \t"); e != "" {
				want = append(want, e)
			}
		}
		var got []string
		for e := range Elements([]byte(s)) {
			got = append(got, string(e))
		}
		if !slices.Equal(slices.Collect(Elements(s)), want) || !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
		for _, e := range want {
			if !HasToken(lowered(e), s) {
				t.Errorf("%q does not have %q", s, e)
			}
		}
	})
}

func lowered(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = ascii.Lower(c)
	}
	return string(b)
}
