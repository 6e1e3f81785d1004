package h3frame

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// heard reads the pieces and returns their capsules, and the result of the end of the stream.
func heard(c *Capsules, pieces ...[]byte) (all []string, err *Error) {
	for _, p := range pieces {
		if err := c.Read(p, func(p Capsule) {
			switch p.Type {
			case CloseSession:
				all = append(all, fmt.Sprintf("close %d %q", p.Code, p.Reason))
			case DrainSession:
				all = append(all, "drain")
			default:
				all = append(all, fmt.Sprintf("%#x", uint64(p.Type)))
			}
		}); err != nil {
			return all, err
		}
	}
	return all, c.End()
}

var capsules = map[string]struct {
	in   string
	want string
	err  *Error
}{
	"nothing":                  {in: ""},
	"close":                    {in: "6843 04 00000007", want: `close 7 ""`},
	"close with a reason":      {in: "6843 06 ffffffff 6869", want: `close 4294967295 "hi"`},
	"drain, then close":        {in: "8000 78ae 00 6843 04 00000000", want: `drain|close 0 ""`},
	"unknown, then close":      {in: "00 03 616263 4021 00 6843 04 00000000", want: `0x0|0x21|close 0 ""`},
	"unknown and very long":    {in: "21 ffffffffffffffff 6162", want: "0x21", err: errCapsuleCut},
	"half a header":            {in: "68", err: errCapsuleCut},
	"half a close":             {in: "6843 04 0000", err: errCapsuleCut},
	"close without a code":     {in: "6843 03 000000", err: errCapsuleShort},
	"close with a long reason": {in: "6843 4405 00000000", err: errCapsuleLong},
	"a reason of other bytes":  {in: "6843 05 00000000 ff", err: errCapsuleReason},
	"drain with a payload":     {in: "8000 78ae 01 00", err: errCapsuleLong},
	"more behind close":        {in: "6843 04 00000000 00", want: `close 0 ""`, err: errCapsuleAfter},
}

// Capsules are read or refused the same way whole, in two pieces and byte by byte.
func TestCapsules(t *testing.T) {
	for name, tc := range capsules {
		t.Run(name, func(t *testing.T) {
			in := unhex(t, tc.in)
			want := func(how string, pieces ...[]byte) {
				t.Helper()
				got, err := heard(new(Capsules), pieces...)
				if joined := strings.Join(got, "|"); joined != tc.want || err != tc.err {
					t.Errorf("%s: %s, %v; want %s, %v", how, joined, err, tc.want, tc.err)
				}
			}
			want("whole", in)
			for i := range in {
				want(fmt.Sprint("cut at ", i), in[:i], in[i:])
			}
			want("by the byte", slices.Collect(slices.Chunk(in, 1))...)
		})
	}
}

// Memory grows with received bytes, not with announced lengths.
func TestCapsulesHoldLittle(t *testing.T) {
	c := new(Capsules)
	if err := c.Read(unhex(t, "6843 4404 00"), func(Capsule) { t.Error("told") }); err != nil || cap(c.units.partial) > 64 {
		t.Errorf("%d bytes are held, %v", cap(c.units.partial), err)
	}
	c = new(Capsules)
	if err := c.Read(append(unhex(t, "21 ffffffffffffffff"), make([]byte, 1<<16)...), func(Capsule) {}); err != nil || c.units.partial != nil {
		t.Errorf("%d bytes of an unknown capsule are held, %v", cap(c.units.partial), err)
	}
}

// Appended capsules are read back, and a long reason is cut between characters.
func TestAppendCapsules(t *testing.T) {
	for reason, want := range map[string]string{
		"": "", "so long": "so long", strings.Repeat("a", 1024): strings.Repeat("a", 1024),
		strings.Repeat("ü", 513): strings.Repeat("ü", 512), "a" + strings.Repeat("ü", 512): "a" + strings.Repeat("ü", 511),
	} {
		got, err := heard(new(Capsules), AppendCloseSession(AppendDrainSession(nil), 1<<31, reason))
		if s := strings.Join(got, "|"); s != fmt.Sprintf("drain|close 2147483648 %q", want) || err != nil {
			t.Errorf("%s, %v; want %s", s, err, want)
		}
	}
}

// Application codes map to HTTP/3 codes and back, and reserved codes map to none.
func TestAppCodes(t *testing.T) {
	for app, want := range map[uint32]Code{0: firstAppCode, 0x1d: firstAppCode + 0x1d, 0x1e: firstAppCode + 0x1f, math.MaxUint32: lastAppCode} {
		if got := AppCode(app); got != want {
			t.Errorf("%d is %#x, want %#x", app, uint64(got), uint64(want))
		}
	}
	for _, from := range []uint32{0, 1 << 16, 1 << 31, math.MaxUint32 - 1000} {
		for app := from; app-from < 1000; app++ {
			c := AppCode(app)
			if back, ok := c.App(); back != app || !ok || (c-0x21)%0x1f == 0 {
				t.Fatalf("%d is %#x, and comes back as %d, %v", app, uint64(c), back, ok)
			}
		}
	}
	for _, c := range []Code{0, NoError, SessionGone, firstAppCode - 1, firstAppCode + 0x1e, lastAppCode + 1} {
		if app, ok := c.App(); ok {
			t.Errorf("%#x is an application's %d", uint64(c), app)
		}
	}
}

// A datagram names its session.
func TestDatagramSession(t *testing.T) {
	for in, want := range map[string]string{
		"00": "0 1 true", "01 61": "4 1 true", "4001": "4 2 true", "": "0 0 false", "40": "0 0 false",
		"cfffffffffffffff": "4611686018427387900 8 true", "d000000000000000": "0 0 false",
	} {
		id, n, ok := DatagramSession(unhex(t, in))
		if got := fmt.Sprint(id, n, ok); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// How the bytes are cut makes no difference, reasons are text, and little is held.
func FuzzCapsules(f *testing.F) {
	for _, tc := range capsules {
		f.Add(unhex(f, tc.in), uint16(3))
	}
	f.Fuzz(func(t *testing.T, in []byte, cut uint16) {
		at := int(cut) % (len(in) + 1)
		c := new(Capsules)
		whole, err := heard(c, in)
		want := fmt.Sprint(whole, err)
		if cap(c.units.partial) > 2*(4+MaxReason+16)+len(in) || !utf8.ValidString(want) {
			t.Fatalf("%d bytes held, %q", cap(c.units.partial), want)
		}
		for _, pieces := range [][][]byte{{in[:at], in[at:]}, slices.Collect(slices.Chunk(in, 1))} {
			all, err := heard(new(Capsules), pieces...)
			if got := fmt.Sprint(all, err); got != want {
				t.Fatalf("in pieces %s, whole %s", got, want)
			}
		}
	})
}
