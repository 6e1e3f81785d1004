package headermap

import (
	"net/textproto"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/fieldkind"
)

// Every known field is found by its name in any case, without an allocation.
func TestKnownFields(t *testing.T) {
	for _, f := range knownFields {
		if want := textproto.CanonicalMIMEHeaderKey(f.Lower); f.Key != want {
			t.Errorf("%q stands for %q, want %q", f.Lower, f.Key, want)
		}
		for _, name := range []string{f.Key, f.Lower, strings.ToUpper(f.Key)} {
			if FieldOf(name) != f {
				t.Errorf("%q is not found", name)
			}
			if n := testing.AllocsPerRun(10, func() { CanonicalKey(name) }); n != 0 {
				t.Errorf("%q: %v allocations", name, n)
			}
		}
	}
}

// Every field that the server or the Transport treats specially is in the table.
func TestFieldsWithAMeaningAreKnown(t *testing.T) {
	for _, name := range []string{"DATE", "trailer", "content-type", "Content-length", "content-encoding", "transfer-encoding"} {
		if FieldOf(name).Kind == fieldkind.Ordinary {
			t.Errorf("%q has no meaning in a response", name)
		}
	}
	for _, name := range []string{
		"host", "content-length", "connection", "proxy-connection", "transfer-encoding", "upgrade", "keep-alive", "trailer",
		"HTTP2-Settings", "cookie", "user-agent", "TE",
	} {
		if FieldOf(name).Class == Plain {
			t.Errorf("%q has no meaning in a request", name)
		}
	}
	if f := FieldOf("X"); f != Unknown || f.Kind != fieldkind.Ordinary || f.Class != Plain {
		t.Error("a field that is not known is", f)
	}
}

func FuzzCanonicalKey(f *testing.F) {
	for _, name := range []string{"", "a", "A", "-", "a-b", "User-Agent", "user-agent", "USER-AGENT", "sec-ch-ua", "x y",
		"é", "X_Y", "x\x00", "Www-authenticate", "eTag", "A-b", "1-a", strings.Repeat("a-", 40)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got, want := CanonicalKey(name), textproto.CanonicalMIMEHeaderKey(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	})
}

// Each byte of a name counts for its canonical form, as the first of a word and as the second.
func TestEveryLetterIsLookedAt(t *testing.T) {
	for c := range tokenBytes {
		if !tokenBytes[c] {
			continue
		}
		for _, name := range []string{"F" + string(rune(c)), "F-" + string(rune(c)) + "x"} {
			if got, want := CanonicalKey(name), textproto.CanonicalMIMEHeaderKey(name); got != want {
				t.Errorf("%q: %q, want %q", name, got, want)
			}
		}
	}
}
