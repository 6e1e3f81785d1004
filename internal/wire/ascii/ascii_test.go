package ascii

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
)

// Each byte is in the classes that the grammar gives it, computed here in another way than the table.
func TestClasses(t *testing.T) {
	alnum := func(c int) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
	for c := range 256 {
		for class, want := range map[Class]bool{
			Token:   c > 0x20 && c < 0x7f && !strings.ContainsRune("\"(),/:;<=>?@[\\]{}", rune(c)),
			Digit:   c >= '0' && c <= '9',
			Hex:     c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F',
			RegName: alnum(c) || c < 0x80 && strings.ContainsRune("-._~!$&'()*+,;=", rune(c)),
			Target:  c > 0x20 && c < 0x7f && c != '#',
			Value:   c >= 0x20 && c != 0x7f || c == '\t',
		} {
			if Is(byte(c), class) != want {
				t.Errorf("class %b of %q is %t", class, rune(c), !want)
			}
		}
		v, ok := HexValue(byte(c))
		if n, err := strconv.ParseUint(string(rune(c)), 16, 8); ok != (err == nil) || ok && uint64(v) != n {
			t.Errorf("HexValue(%q) = %d, %t", rune(c), v, ok)
		}
		if c < 0x80 && Lower(byte(c)) != strings.ToLower(string(rune(c)))[0] || c >= 0x80 && Lower(byte(c)) != byte(c) {
			t.Errorf("Lower(%q) = %q", rune(c), rune(Lower(byte(c))))
		}
	}
}

// EqualFold ignores the case of ASCII letters and of no other byte.
func TestEqualFold(t *testing.T) {
	for _, tc := range []struct {
		a, lower string
		want     bool
	}{
		{"HoSt", "host", true}, {"", "", true}, {"hos", "host", false}, {"hosts", "host", false},
		{"h@st", "h`st", false}, {"K", "k", true}, {"\u212a", "k", false}, {"a-b", "a-b", true}, {"a\rb", "a-b", false},
	} {
		if got := EqualFold([]byte(tc.a), tc.lower); got != tc.want {
			t.Errorf("EqualFold(%q, %q) = %t", tc.a, tc.lower, got)
		}
		if got := EqualFold(tc.a, tc.lower); got != tc.want {
			t.Errorf("EqualFold(%q, %q) = %t, as a string", tc.a, tc.lower, got)
		}
	}
}

// Span counts the bytes of a class, and TrimOWS removes spaces and tabs from both ends.
func TestSpanAndTrim(t *testing.T) {
	if n := Span([]byte("a1-x y"), 1, Token); n != 4 {
		t.Errorf("Span = %d", n)
	}
	if !All(nil, Digit) || All([]byte("12a"), Digit) {
		t.Error("All")
	}
	for in, want := range map[string]string{"": "", " ": "", " \ta b\t ": "a b", "\na": "\na"} {
		if got := TrimOWS([]byte(in)); !bytes.Equal(got, []byte(want)) {
			t.Errorf("TrimOWS(%q) = %q", in, got)
		}
		if got := TrimOWS(in); got != want {
			t.Errorf("TrimOWS(%q) = %q, as a string", in, got)
		}
	}
}
