package qpack

import (
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/hpack"
)

// The shortest representation is chosen, and credentials stay literals that are never indexed.
func TestEncode(t *testing.T) {
	for _, tc := range []struct{ name, value, want string }{
		{":path", "/", "c1"},
		{":path", "/index.html", "5188 60d5485f2bce9a68"},
		{"x-frame-options", "sameorigin", "ff23"},
		{"x-frame-options", "x", "5f52 01 78"},
		{"content-type", "text/plain", "f5"},
		{"cookie", "", "c5"},
		{"cookie", "a=1", "55 82 1c01"},
		{"accept", "application/dns-message", "de"},
		{"authorization", "", "ff15"},
		{"authorization", "me", "7f45 02 6d65"},
		{"proxy-authorization", "me", ""},
		{"a", "b", "21 61 01 62"},
		{"", "", "20 00"},
	} {
		got := Encoder{}.AppendField(nil, tc.name, tc.value)
		if tc.want != "" && !slices.Equal(got, unhex(t, tc.want)) {
			t.Errorf("%s: %s is %x, want %s", tc.name, tc.value, got, tc.want)
		}
		f, rest, err := new(Decoder).field(got, 1000)
		if f.Name != tc.name || f.Value != tc.value || len(rest) > 0 || err != nil {
			t.Errorf("%s: %s comes back as %+v, %v", tc.name, tc.value, f, err)
		}
		if secret := strings.HasSuffix(tc.name, "authorization") && tc.value != ""; f.Sensitive != secret {
			t.Errorf("%s: stays a literal: %v", tc.name, f.Sensitive)
		}
	}
}

// Each entry is found by its name, and by its value; where two are the same, either is right.
func TestStaticTable(t *testing.T) {
	for i, e := range staticTable {
		b := Encoder{}.AppendField(nil, e.name, e.value)
		if want := appendInt(nil, indexedBit|staticBit, indexedMask, i); !slices.Equal(b, want) {
			t.Errorf("%s: %s is %x, want %x", e.name, e.value, b, want)
		}
		if _, ok := findStatic([]byte(e.name + "x")); ok {
			t.Errorf("%sx is found", e.name)
		}
	}
}

// Strings of all lengths come back, with lengths in one byte and in several.
func TestLengths(t *testing.T) {
	for n := range 600 {
		want := strings.Repeat("\x01", n) // has no shorter code
		f, rest, err := new(Decoder).field(Encoder{}.AppendField(nil, want, want), 2000)
		if f.Name != want || f.Value != want || len(rest) > 0 || err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

// All statuses that a response may have come back.
func TestStatus(t *testing.T) {
	for status := 100; status < 1000; status++ {
		b := Encoder{}.AppendStatus(Encoder{}.AppendPrefix(nil), status)
		got, err := new(Decoder).Decode(b, nil)
		if len(got) != 1 || got[0].Name != ":status" || len(got[0].Value) != 3 || err != nil {
			t.Fatalf("%d: %+v, %v", status, got, err)
		}
		if known := status == 200 || status == 404 || status == 503; known && len(b) != 3 && len(b) != 4 {
			t.Errorf("%d takes %d bytes", status, len(b))
		}
		if v := got[0].Value; int(v[0]-'0')*100+int(v[1]-'0')*10+int(v[2]-'0') != status {
			t.Errorf("%d: %s", status, v)
		}
	}
}

// Without a table, the peer's encoder may only announce that there is none, and its decoder may only cancel streams. The
// instructions of Appendix B are refused at their first byte.
func TestInstructions(t *testing.T) {
	for name, tc := range map[string]struct {
		in  string
		err error
	}{
		"nothing":                {"", nil},
		"no capacity, twice":     {"20 20", nil},
		"appendix B.2, capacity": {"3fbd01", errCapacity},
		"a capacity of 1":        {"21", errCapacity},
		"appendix B.2, insert":   {"c00f7777772e6578616d706c652e636f6d", errInsert},
		"appendix B.3, insert":   {"4a637573746f6d2d6b6579", errInsert},
		"appendix B.4":           {"02", errInsert},
		"behind one that may be": {"20 02", errInsert},
	} {
		if err := (EncoderStream{}).Read(unhex(t, tc.in)); tc.err == nil && err != nil || tc.err != nil && err != tc.err {
			t.Errorf("encoder, %s: %v, want %v", name, err, tc.err)
		}
	}
	for name, tc := range map[string]struct {
		in  string
		err error
	}{
		"nothing":                     {"", nil},
		"a stream":                    {"44", nil},
		"a stream of two bytes":       {"7f01 48", nil},
		"a stream of 62 bits":         {"7f c0ffffffffffffff3f 40", nil},
		"one of more":                 {"7f c1ffffffffffffff3f", errStreamID},
		"zeros without end":           {"7f 80808080808080808080", errStreamID},
		"appendix B.2, acknowledged":  {"84", errAcknowledge},
		"appendix B.3, an increment":  {"01", errIncrement},
		"behind a stream":             {"7f01 84", errAcknowledge},
		"behind a stream, increment":  {"40 00", errIncrement},
		"appendix B.4, a cancelation": {"48", nil},
	} {
		in := unhex(t, tc.in)
		for cut := range len(in) + 1 {
			var s DecoderStream
			err := s.Read(in[:cut])
			if err == nil {
				err = s.Read(in[cut:])
			}
			if tc.err == nil && err != nil || tc.err != nil && err != tc.err {
				t.Errorf("decoder, %s, cut at %d: %v, want %v", name, cut, err, tc.err)
			}
		}
	}
}

// Whatever can be decoded can be encoded and decoded again, and limits hold.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"0000", "0000510b2f696e6465782e68746d6c", "0000d1ff23", "0000211f811f", "00002a1fff811f", "0381101100", "0000 7501 61"} {
		f.Add(unhex(f, s), uint16(100), uint8(3))
	}
	f.Fuzz(func(t *testing.T, section []byte, most uint16, fields uint8) {
		var d Decoder
		all, err := d.Decode(section, nil)
		limited := Decoder{MaxListBytes: int(most), MaxFields: int(fields)}
		some, limitErr := limited.Decode(section, nil)
		size := 0
		for i, f := range some {
			if size += f.Size(); f != all[i] {
				t.Fatalf("%+v, with limits %+v", all[i], f)
			}
		}
		if most > 0 && size > int(most) || fields > 0 && len(some) > int(fields) {
			t.Fatalf("%d fields of %d bytes", len(some), size)
		}
		if err != nil {
			return
		}
		if limitErr != nil && limitErr != errTooLarge {
			t.Fatalf("with limits: %v", limitErr)
		}
		again := Encoder{}.AppendPrefix(nil)
		for _, f := range all {
			again = Encoder{}.AppendField(again, f.Name, f.Value)
		}
		got, err := d.Decode(again, nil)
		for i := range all {
			all[i].Sensitive, got[i].Sensitive = false, false
		}
		if err != nil || !slices.Equal(all, got) {
			t.Fatalf("%+v come back as %+v, %v", all, got, err)
		}
	})
}

// Encoding does not allocate, and decoding allocates once for a kilobyte of text.
func TestNothingIsAllocated(t *testing.T) {
	var d Decoder
	fields := make([]hpack.Field, 0, 8)
	buf := make([]byte, 0, 256)
	n := testing.AllocsPerRun(1000, func() {
		b := Encoder{}.AppendStatus(Encoder{}.AppendPrefix(buf), 200)
		b = Encoder{}.AppendField(b, "content-type", "text/plain; charset=utf-8")
		b = Encoder{}.AppendField(b, "x", "y")
		fields, _ = d.Decode(b, fields[:0])
	})
	if n > 0.1 {
		t.Errorf("%v allocations", n)
	}
}
