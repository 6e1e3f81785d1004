package wsframe

import (
	"strings"
	"testing"
)

var (
	sunkHeader Header
	sunkBytes  []byte
)

// The frames that a server reads all day.
var benchFrames = []struct{ name, wire string }{
	{"7bit", "81 c0 37 fa 21 3d 00 00"},
	{"16bit", "82 fe 04 00 37 fa 21 3d"},
	{"64bit", "82 ff 00 00 00 00 00 01 00 00 37 fa 21 3d"},
	{"bare", "81 40 00 00 00 00 00 00"},
	{"short", "81 81 37 fa 21 3d 00"},
}

// Parse is measured.
func BenchmarkParse(b *testing.B) {
	for _, g := range benchFrames {
		b.Run(g.name, func(b *testing.B) {
			wire := bytesOf(b, g.wire)
			b.SetBytes(int64(len(wire)))
			b.ReportAllocs()
			for b.Loop() {
				h, n, err := Parse(wire)
				if n == 0 || err != nil {
					b.Fatal(n, err)
				}
				sunkHeader = h
			}
		})
	}
}

// The slow path of Parse is measured beside it.
func BenchmarkParseByteByByte(b *testing.B) {
	wire := bytesOf(b, benchFrames[1].wire)
	b.SetBytes(int64(len(wire)))
	for b.Loop() {
		h, n, err := parseSlow(wire)
		if n == 0 || err != nil {
			b.Fatal(n, err)
		}
		sunkHeader = h
	}
}

// All that a reader does with a header is measured.
func BenchmarkParseAndNext(b *testing.B) {
	wire := bytesOf(b, benchFrames[1].wire)
	seq := Incoming(Server, RSV1)
	b.SetBytes(int64(len(wire)))
	for b.Loop() {
		h, n, err := Parse(wire)
		if n == 0 || err != nil || seq.Next(h) != nil {
			b.Fatal(n, err)
		}
		sunkHeader = h
	}
}

// Append is measured.
func BenchmarkAppend(b *testing.B) {
	for _, g := range benchFrames {
		b.Run(g.name, func(b *testing.B) {
			h, n, _ := Parse(bytesOf(b, g.wire))
			b.SetBytes(int64(n))
			b.ReportAllocs()
			out := make([]byte, 0, 64)
			for b.Loop() {
				sunkBytes = Append(out, h)
			}
		})
	}
}

// Writing and reading the payload of a close frame is measured.
func BenchmarkClose(b *testing.B) {
	reason := strings.Repeat("x", 40)
	out := make([]byte, 0, 128)
	b.ReportAllocs()
	for b.Loop() {
		p, _ := AppendClose(out, CloseGoingAway, reason)
		if code, _, err := ParseClose(p); code != CloseGoingAway || err != nil {
			b.Fatal(err)
		}
	}
}
