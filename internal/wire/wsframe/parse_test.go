package wsframe

import (
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// bytesOf reads hexadecimal digits with spaces between them.
func bytesOf(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Headers by their bytes; what follows "|" is payload.
var goldenHeaders = []struct {
	section, name string
	wire          string
	want          Header
}{
	{"§5.7", "unmasked text, Hello", "81 05 | 48 65 6c 6c 6f", Header{Kind: Final(Text), Length: 5}},
	{"§5.7", "masked text, Hello", "81 85 37 fa 21 3d | 7f 9f 4d 51 58", Header{Kind: Final(Text), Length: 5, Masked: true, Key: 0x3d21fa37}},
	{"§5.7", "first fragment, Hel", "01 03 | 48 65 6c", Header{Kind: Kind(Text), Length: 3}},
	{"§5.7", "last fragment, lo", "80 02 | 6c 6f", Header{Kind: Final(Continuation), Length: 2}},
	{"§5.7", "ping, Hello", "89 05 | 48 65 6c 6c 6f", Header{Kind: Final(Ping), Length: 5}},
	{"§5.7", "masked pong, Hello", "8a 85 37 fa 21 3d | 7f 9f 4d 51 58", Header{Kind: Final(Pong), Length: 5, Masked: true, Key: 0x3d21fa37}},
	{"§5.7", "256 bytes binary", "82 7e 01 00 |", Header{Kind: Final(Binary), Length: 256}},
	{"§5.7", "64 KiB binary", "82 7f 00 00 00 00 00 01 00 00 |", Header{Kind: Final(Binary), Length: 65536}},

	{"§5.2", "empty", "81 00 |", Header{Kind: Final(Text)}},
	{"§5.2", "empty masked with key 0", "81 80 00 00 00 00 |", Header{Kind: Final(Text), Masked: true}},
	{"§5.2", "longest 7-bit length", "82 7d |", Header{Kind: Final(Binary), Length: 125}},
	{"§5.2", "shortest 16-bit length", "82 7e 00 7e |", Header{Kind: Final(Binary), Length: 126}},
	{"§5.2", "longest 16-bit length", "82 7e ff ff |", Header{Kind: Final(Binary), Length: 65535}},
	{"§5.2", "16-bit length, masked", "82 fe 03 e8 01 02 03 04 |", Header{Kind: Final(Binary), Length: 1000, Masked: true, Key: 0x04030201}},
	{"§5.2", "longest length, masked", "82 ff 7f ff ff ff ff ff ff ff 01 02 03 04 |", Header{Kind: Final(Binary), Length: 1<<63 - 1, Masked: true, Key: 0x04030201}},
	{"§5.2", "all reserved bits", "f1 01 | 00", Header{Kind: Final(Text).With(RSV1 | RSV2 | RSV3), Length: 1}},
	{"§5.2", "RSV3 on an unfinished binary", "12 01 | 00", Header{Kind: Kind(Binary).With(RSV3), Length: 1}},
	{"§5.4", "continuation that goes on", "00 01 | 00", Header{Length: 1}},
	{"§5.5", "longest control frame", "88 fd 01 02 03 04 |", Header{Kind: Final(Close), Length: 125, Masked: true, Key: 0x04030201}},
	{"RFC 7692 §7.2.3.1", "compressed Hello", "c1 07 | f2 48 cd c9 c9 07 00", Header{Kind: Final(Text).With(RSV1), Length: 7}},
}

// Headers of every form are parsed and appended.
func TestHeaders(t *testing.T) {
	for _, g := range goldenHeaders {
		head, payload, _ := strings.Cut(g.wire, "|")
		wire := bytesOf(t, head)
		if got := Append(nil, g.want); string(got) != string(wire) {
			t.Errorf("%s %s: written as % x", g.section, g.name, got)
		}
		if g.want.Size() != len(wire) {
			t.Errorf("%s %s: size %d", g.section, g.name, g.want.Size())
		}
		all := append(wire, bytesOf(t, payload)...)
		all = append(all, make([]byte, MaxHeaderSize)...) // the next frame
		for size := range len(all) + 1 {
			h, n, err := Parse(all[:size:size])
			switch {
			case err != nil:
				t.Errorf("%s %s, %d bytes: %v", g.section, g.name, size, err)
			case size < len(wire) && (n != 0 || h != Header{}):
				t.Errorf("%s %s, %d bytes: took %d for %+v", g.section, g.name, size, n, h)
			case size >= len(wire) && (n != len(wire) || h != g.want):
				t.Errorf("%s %s, %d bytes: took %d for %+v", g.section, g.name, size, n, h)
			}
		}
	}
}

// Bad headers up to their first bad byte.
var badHeaders = []struct {
	name string
	wire string
	want error
}{
	{"opcode 3", "83", errOpcode[0]},
	{"opcode 7, not FIN", "07", errOpcode[0]},
	{"opcode 11", "8b", errOpcode[0]},
	{"opcode 15 with all bits", "ff", errOpcode[0]},
	{"ping without FIN", "09", errControlFin[0]},
	{"close without FIN", "08", errControlFin[0]},
	{"pong of 126 bytes", "8a fe", errControlLength[0]},
	{"close with a 64-bit length", "88 7f", errControlLength[0]},
	{"0 in 16 bits", "82 7e 00 00", errLengthForm},
	{"125 in 16 bits", "82 fe 00 7d", errLengthForm},
	{"0 in 64 bits", "82 ff 00 00 00 00 00 00", errLengthForm},
	{"2^63", "82 7f 80", errLengthSign[0]},
	{"2^64-1", "82 ff ff", errLengthSign[0]},
}

// A malformed header is refused at its first bad byte.
func TestBadHeaders(t *testing.T) {
	for _, g := range badHeaders {
		wire := bytesOf(t, g.wire)
		bad := len(wire)
		for _, rest := range []byte{0, 0xFF} {
			all := wire
			for len(all) < MaxHeaderSize+2 {
				all = append(all[:len(all):len(all)], rest)
			}
			for size := range len(all) + 1 {
				_, n, err := Parse(all[:size:size])
				if n != 0 || size < bad && err != nil || size >= bad && err != g.want {
					t.Errorf("%s, %d bytes: %d, %v", g.name, size, n, err)
				}
			}
		}
		var e *Error
		if _, _, err := Parse(wire); !errors.As(err, &e) || e.Code != CloseProtocolError {
			t.Errorf("%s: %v", g.name, err)
		}
	}
}

// Parse gives the same result as its slow path for every first two bytes.
func TestTheFastWayIsTheSlowWay(t *testing.T) {
	rests := []string{
		"00 00 00 00 00 00 00 00 00 00 00 00", "00 7d 01 02 03 04 05 06 07 08 09 0a", "00 7e 01 02 03 04 05 06 07 08 09 0a",
		"00 00 00 00 00 00 ff ff 01 02 03 04", "00 00 00 00 00 01 00 00 01 02 03 04", "7f ff ff ff ff ff ff ff ff ff ff ff",
		"80 00 00 00 00 00 00 00 01 02 03 04",
	}
	for _, rest := range rests {
		b := append([]byte{0, 0}, bytesOf(t, rest)...)
		for first := range 1 << 16 {
			b[0], b[1] = byte(first>>8), byte(first)
			h, n, err := Parse(b)
			if h2, n2, err2 := parseSlow(b); h != h2 || n != n2 || err != err2 {
				t.Fatalf("% x: %+v %d %v, byte by byte %+v %d %v", b, h, n, err, h2, n2, err2)
			}
		}
	}
}

// Parse reads what Append writes.
func TestWhatIsWrittenIsRead(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6455, 7692))
	opcodes := []Opcode{Continuation, Text, Binary, Close, Ping, Pong}
	for range 20000 {
		want := Header{
			Kind:   (Kind(opcodes[rnd.IntN(len(opcodes))]) | Kind(rnd.Uint32())&FIN).With(RSV(rnd.Uint32()) & allRSV),
			Masked: rnd.IntN(2) == 0,
			Length: rnd.Int64() >> rnd.IntN(63), // as many short ones as long ones
		}
		if want.Masked {
			want.Key = rnd.Uint32()
		}
		if want.Opcode().IsControl() {
			want.Kind, want.Length = want.Kind|FIN, want.Length%(MaxControlPayload+1)
		}
		wire := Append([]byte("before"), want)[len("before"):]
		h, n, err := Parse(wire)
		if h != want || n != len(wire) || n != want.Size() || err != nil {
			t.Fatalf("% x: %+v, %d, %v", wire, h, n, err)
		}
	}
}

// A header gives the same result whole and cut anywhere, and is written back the same.
func FuzzParse(f *testing.F) {
	for _, g := range goldenHeaders {
		f.Add(bytesOf(f, strings.ReplaceAll(g.wire, "|", "")))
	}
	for _, g := range badHeaders {
		f.Add(bytesOf(f, g.wire))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, n, err := Parse(b)
		switch {
		case n < 0 || n > len(b) || n > MaxHeaderSize || err != nil && n != 0 || n == 0 && h != Header{}:
			t.Fatal(h, n, err)
		case n == 0 && err == nil && len(b) >= MaxHeaderSize:
			t.Fatal("wants more than any header has")
		case n != 0:
			if got := Append(nil, h); string(got) != string(b[:n]) {
				t.Fatalf("% x written as % x", b[:n], got)
			}
		}
		seen := false // a result stays the same when more bytes come
		for size := range min(len(b), MaxHeaderSize) + 1 {
			h2, n2, err2 := Parse(b[:size:size])
			done := n2 != 0 || err2 != nil
			if done && (h2 != h || n2 != n || err2 != err) || seen && !done {
				t.Fatalf("% x cut at %d: %+v %d %v, whole: %+v %d %v", b, size, h2, n2, err2, h, n, err)
			}
			seen = done
		}
	})
}
