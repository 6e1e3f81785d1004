package wsframe

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave"
)

// Every close code is accepted or refused as Autobahn's cases 7.7.x and 7.9.x want it, from the peer and from this
// end.
func TestCloseCodes(t *testing.T) {
	for i := range 1 << 16 {
		code := CloseCode(i)
		var want either
		switch {
		case i >= 1000 && i <= 1003, i >= 1007 && i <= 1014, i >= 3000 && i <= 4999:
		case i == 1004, i == 1005, i == 1006, i == 1015:
			want = errCloseReserved
		default:
			want = errCloseRange
		}
		refused := want[shockwave.Peer] != nil
		p := []byte{byte(i >> 8), byte(i), 'x'}
		got, reason, err := ParseClose(p)
		if refused && (err != want[shockwave.Peer] || got != 0 || reason != nil) || !refused && (err != nil || got != code || string(reason) != "x") {
			t.Errorf("reading %d: %v %q %v", i, got, reason, err)
		}
		if code.Sendable() == refused {
			t.Errorf("%d: sendable %v", i, code.Sendable())
		}
		out, err := AppendClose([]byte("-"), code, "x")
		switch {
		case code == CloseNoStatus:
			if err != nil || string(out) != "-" {
				t.Errorf("writing %d: %q %v", i, out, err)
			}
		case refused && (err != want[shockwave.Local] || string(out) != "-"):
			t.Errorf("writing %d: %q %v", i, out, err)
		case !refused && (err != nil || string(out) != "-"+string(p)):
			t.Errorf("writing %d: %q %v", i, out, err)
		}
	}
}

// The payload of a close frame is read as RFC 6455 §5.5.1 says, and written back the same.
func TestClosePayloads(t *testing.T) {
	long := strings.Repeat("x", MaxReason)
	for _, g := range []struct {
		section, name, payload string
		code                   CloseCode
		reason                 string
		err                    error
	}{
		{"§7.1.5", "no payload", "", CloseNoStatus, "", nil},
		{"§5.5.1", "half a code", "\x03", 0, "", errCloseShort},
		{"§5.5.1", "code alone", "\x03\xe8", CloseNormal, "", nil},
		{"§5.5.1", "code and reason", "\x03\xe9bye", CloseGoingAway, "bye", nil},
		{"§5.5.1", "longest reason", "\x03\xe8" + long, CloseNormal, long, nil},
		{"§8.1", "reason of other letters", "\x0b\xb8κόσμε", 3000, "κόσμε", nil},
		{"§8.1", "bad UTF-8", "\x03\xe8\xce\xba\xed\xa0\x80", 0, "", errCloseReason[0]},
		{"§8.1", "character cut off", "\x03\xe8\xce", 0, "", errCloseReason[0]},
		{"§7.4.2", "bad code before bad UTF-8", "\x00\x00\xce", 0, "", errCloseRange[0]},
	} {
		code, reason, err := ParseClose([]byte(g.payload))
		if code != g.code || string(reason) != g.reason || err != g.err {
			t.Errorf("%s %s: %v %q %v", g.section, g.name, code, reason, err)
		}
	}
}

// A reason that is too long is cut between two characters.
func TestReasonsAreCutBetweenCharacters(t *testing.T) {
	for _, char := range []string{"x", "ß", "語", "😀"} {
		for lead := range 5 {
			for size := MaxReason - 5; size < MaxReason+10; size++ {
				all := strings.Repeat("-", lead) + strings.Repeat(char, size)
				out, err := AppendClose(nil, CloseNormal, all)
				if err != nil {
					t.Fatal(err)
				}
				if code, reason, err := ParseClose(out); code != CloseNormal || !strings.HasPrefix(all, string(reason)) || err != nil {
					t.Fatalf("%q: %v %q %v", all, code, reason, err)
				}
				if fits := min(len(all), MaxReason); len(out)-2 > fits || len(out)-2 <= fits-len(char) {
					t.Fatalf("%d of %d bytes are left", len(out)-2, len(all))
				}
			}
		}
	}
}

// A reason that is not UTF-8 is not written.
func TestBadReasonsAreNotWritten(t *testing.T) {
	for _, reason := range []string{"\xff", strings.Repeat("\x80", 200), strings.Repeat("x", MaxReason-1) + "\x80" + "x"} {
		if out, err := AppendClose([]byte("-"), CloseNormal, reason); err != errCloseReason[shockwave.Local] || string(out) != "-" {
			t.Errorf("%q: %q, %v", reason, out, err)
		}
	}
}

// A payload that can be read is written back the same.
func FuzzClose(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte("\x03"))
	f.Add([]byte("\x03\xe8\xce\xba"))
	f.Fuzz(func(t *testing.T, p []byte) {
		if len(p) > MaxControlPayload {
			t.Skip()
		}
		code, reason, err := ParseClose(p)
		if err != nil {
			return
		}
		if out, err := AppendClose(nil, code, string(reason)); err != nil || string(out) != string(p) {
			t.Fatalf("%q written as %q, %v", p, out, err)
		}
	})
}
