package h3frame

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// read reads the pieces, which end a stream, and returns what they mean. Pieces of content are joined.
func read(m *Message, pieces ...[]byte) (all []string, err *Error) {
	var in, content []byte
	flush := func() {
		if len(content) > 0 {
			all = append(all, "content "+string(content))
			content = nil
		}
	}
	for _, piece := range pieces {
		in = append(in, piece...)
		for {
			p, n, err := m.Next(in)
			if err != nil {
				flush()
				return all, err
			}
			switch p.Kind {
			case Nothing:
				if n != 0 || p.Need <= len(in) {
					return append(all, fmt.Sprintf("needs %d of %d", p.Need, len(in))), nil
				}
			case Section:
				flush()
				all = append(all, fmt.Sprintf("section %s %v", p.Bytes, p.Trailer))
			case TooLarge:
				flush()
				all = append(all, fmt.Sprintf("too large %v", p.Trailer))
			case Content:
				content = append(content, p.Bytes...)
			case Session:
				flush()
				return append(all, "session "+hex.EncodeToString(in[n:])), nil
			}
			if in = in[n:]; p.Kind == Nothing {
				break
			}
		}
	}
	flush()
	if len(in) > 0 {
		return all, m.Cut()
	}
	return all, m.End()
}

const expectNothing = -1

var messages = map[string]struct {
	in     string
	expect int64
	want   string
	err    *Error
}{
	"a head":                        {"01 02 6162", expectNothing, "section ab false", nil},
	"an empty head":                 {"01 00", expectNothing, "section  false", nil},
	"content":                       {"0101 61 0003 626364", expectNothing, "section a false|content bcd", nil},
	"content in many frames":        {"0101 61 0001 62 0000 0002 6364", 3, "section a false|content bcd", nil},
	"a trailer":                     {"0101 61 0001 62 0101 63", 1, "section a false|content b|section c true", nil},
	"a trailer without content":     {"0101 61 0101 63", expectNothing, "section a false|section c true", nil},
	"frames of unknown types":       {"21 00 40ff 03 616263 0101 61 21 01 00 0001 62 21 00 0101 63 4021 01 00", expectNothing, "section a false|content b|section c true", nil},
	"long numbers":                  {"c000000000000001 8000 0001 61 4000 c000000000000001 62", expectNothing, "section a false|content b", nil},
	"nothing":                       {"", expectNothing, "", errNoHead},
	"no head but another":           {"21 00", expectNothing, "", errNoHead},
	"content first":                 {"0001 61", expectNothing, "", errDataFirst},
	"content behind the trailer":    {"0101 61 0101 63 0001 62", expectNothing, "section a false|section c true", errAfterTrailer},
	"a section behind the trailer":  {"0101 61 0101 63 0101 62", expectNothing, "section a false|section c true", errAfterTrailer},
	"PUSH_PROMISE":                  {"0101 61 0501 00", expectNothing, "section a false", errPush},
	"CANCEL_PUSH":                   {"0301 00", expectNothing, "", errOnRequest},
	"SETTINGS":                      {"0400", expectNothing, "", errOnRequest},
	"GOAWAY":                        {"0101 61 0701 00", expectNothing, "section a false", errOnRequest},
	"MAX_PUSH_ID":                   {"0d01 00", expectNothing, "", errOnRequest},
	"PRIORITY_UPDATE":               {"800f0700 01 00", expectNothing, "", errOnRequest},
	"PRIORITY_UPDATE of a push":     {"800f0701 01 00", expectNothing, "", errOnRequest},
	"HTTP/2's PRIORITY":             {"0200", expectNothing, "", errHTTP2Type},
	"HTTP/2's PING":                 {"0600", expectNothing, "", errHTTP2Type},
	"HTTP/2's WINDOW_UPDATE":        {"0800", expectNothing, "", errHTTP2Type},
	"HTTP/2's CONTINUATION":         {"0900", expectNothing, "", errHTTP2Type},
	"half a header":                 {"0101 61 00", expectNothing, "section a false", errCut},
	"half a number":                 {"40", expectNothing, "", errCut},
	"half a head":                   {"0102 61", expectNothing, "", errCut},
	"half of the content":           {"0101 61 0003 62", expectNothing, "section a false|content b", errCut},
	"half of something":             {"0101 61 2103 62", expectNothing, "section a false", errCut},
	"more than expected":            {"0101 61 0001 62 0001 63", 1, "section a false|content b", errTooMuch},
	"more than expected, one frame": {"0101 61 0002 6263", 1, "section a false", errTooMuch},
	"some where none is expected":   {"0101 61 0001 62", 0, "section a false", errTooMuch},
	"less than expected":            {"0101 61 0001 62", 2, "section a false|content b", errTooLittle},
	"less, behind the trailer":      {"0101 61 0001 62 0101 63", 2, "section a false|content b|section c true", errTooLittle},
	"as many as expected":           {"0101 61 0000", 0, "section a false", nil},
	"a head that is too large":      {"0109 616161616161616161 0001 62", expectNothing, "too large false|content b", nil},
	"the largest head":              {"0108 6161616161616161", expectNothing, "section aaaaaaaa false", nil},
	"a trailer that is too large":   {"0101 61 0109 616161616161616161", expectNothing, "section a false|too large true", nil},
	"half of what is too large":     {"0109 6161", expectNothing, "too large false", errCut},
	"a claim of 2^62":               {"01 ffffffffffffffff 61", expectNothing, "too large false", errCut},
	"WebTransport":                  {"4041 00 6162", expectNothing, "session 006162", nil},
	"WebTransport, late":            {"0101 61 4041 00", expectNothing, "section a false", errWebTransport},
	"WebTransport, behind a frame":  {"2100 4041 00", expectNothing, "", errWebTransport},
}

// Frames of a request stream are read or refused the same way whole, in two pieces and byte by byte.
func TestMessage(t *testing.T) {
	for name, tc := range messages {
		t.Run(name, func(t *testing.T) {
			in := unhex(t, tc.in)
			want := func(how string, pieces ...[]byte) {
				t.Helper()
				var m Message
				m.Reset(8)
				m.Expect(tc.expect)
				got, err := read(&m, pieces...)
				if joined := strings.Join(got, "|"); joined != tc.want && !strings.HasPrefix(tc.want, "session") || err != tc.err {
					t.Errorf("%s: %q, %v; want %q, %v", how, joined, err, tc.want, tc.err)
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

// A client reads the heads of interim responses before the final one.
func TestInterim(t *testing.T) {
	var m Message
	m.Reset(100)
	in := unhex(t, "0101 61 0101 62 0001 63")
	for i, want := range []string{"section a false", "section b false"} {
		p, n, err := m.Next(in)
		if got := fmt.Sprintf("section %s %v", p.Bytes, p.Trailer); got != want || err != nil {
			t.Fatalf("%s, %v; want %s", got, err, want)
		}
		if in = in[n:]; i == 0 {
			m.Interim()
		}
	}
	if got, err := read(&m, in); len(got) != 1 || got[0] != "content c" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// Frames that bring nothing are counted.
func TestIdle(t *testing.T) {
	var m Message
	m.Reset(100)
	if _, err := read(&m, unhex(t, "2100 0101 61 0000 0000 0001 61 4021 01 00")); err != nil {
		t.Fatal(err)
	}
	if n := m.Idle(); n != 4 {
		t.Errorf("%d frames, want 4", n)
	}
	if n := m.Idle(); n != 0 {
		t.Errorf("then %d", n)
	}
}

// Content that was read without the Message still counts.
func TestTook(t *testing.T) {
	var m Message
	m.Reset(100)
	in := unhex(t, "0101 61 0004 62636465")
	_, n, _ := m.Next(in)
	m.Expect(4)
	in = in[n:]
	p, _, err := m.Next(in[:3])
	if string(p.Bytes) != "b" || err != nil || m.Left() != 3 {
		t.Fatalf("%q, %v, %d are left", p.Bytes, err, m.Left())
	}
	if err := m.Took(2); err != nil || m.Left() != 1 {
		t.Fatalf("%v, %d are left", err, m.Left())
	}
	if err := m.End(); err != errCut {
		t.Errorf("%v, want %v", err, errCut)
	}
	if err := m.Took(1); err != nil || m.Left() != 0 {
		t.Fatalf("%v, %d are left", err, m.Left())
	}
	if err := m.End(); err != nil {
		t.Error(err)
	}
}

// How the bytes are cut makes no difference.
func FuzzMessage(f *testing.F) {
	for _, tc := range messages {
		f.Add(unhex(f, tc.in), uint16(3), int8(tc.expect))
	}
	f.Fuzz(func(t *testing.T, in []byte, cut uint16, expect int8) {
		at := int(cut) % (len(in) + 1)
		var want string
		for i, pieces := range [][][]byte{{in}, {in[:at], in[at:]}, slices.Collect(slices.Chunk(in, 1))} {
			var m Message
			m.Reset(100)
			m.Expect(int64(expect))
			all, err := read(&m, pieces...)
			got := fmt.Sprint(strings.Join(all, "|"), err)
			if len(all) > 0 && strings.HasPrefix(all[len(all)-1], "session") {
				got = "session" // how much has arrived behind the signal depends on the cut
			}
			if i == 0 {
				want = got
			} else if got != want {
				t.Fatalf("in pieces %q, whole %q", got, want)
			}
		}
	})
}
