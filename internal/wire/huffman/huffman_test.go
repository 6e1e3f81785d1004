package huffman

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"
)

// Codes are those of RFC 7541 Appendix B: one for each length of code, and the last of each block.
func TestCodesOfTheAppendix(t *testing.T) {
	for _, g := range []struct {
		symbol int
		code   uint32
		bits   uint8
	}{
		{'0', 0x0, 5}, {'t', 0x9, 5}, {' ', 0x14, 6}, {'u', 0x2d, 6}, {':', 0x5c, 7}, {'z', 0x7b, 7}, {'&', 0xf8, 8}, {'Z', 0xfd, 8},
		{'!', 0x3f8, 10}, {'?', 0x3fc, 10}, {'\'', 0x7fa, 11}, {'|', 0x7fc, 11}, {'#', 0xffa, 12}, {'>', 0xffb, 12}, {0, 0x1ff8, 13}, {'~', 0x1ffd, 13},
		{'^', 0x3ffc, 14}, {'}', 0x3ffd, 14}, {'<', 0x7ffc, 15}, {'{', 0x7ffe, 15}, {'\\', 0x7fff0, 19}, {208, 0x7fff2, 19}, {128, 0xfffe6, 20}, {224, 0xfffec, 20},
		{153, 0x1fffdc, 21}, {230, 0x1fffe8, 21}, {129, 0x3fffd2, 22}, {233, 0x3fffeb, 22}, {1, 0x7fffd8, 23}, {239, 0x7ffff4, 23}, {9, 0xffffea, 24}, {237, 0xfffff5, 24},
		{199, 0x1ffffec, 25}, {235, 0x1ffffef, 25}, {192, 0x3ffffe0, 26}, {255, 0x3ffffee, 26}, {203, 0x7ffffde, 27}, {254, 0x7fffff0, 27}, {2, 0xfffffe2, 28}, {249, 0xffffffe, 28},
		{10, 0x3ffffffc, 30}, {22, 0x3ffffffe, 30}, {eos, 0x3fffffff, 30},
	} {
		if codes[g.symbol] != g.code || lengths[g.symbol] != g.bits {
			t.Errorf("%d: %x of %d bits, want %x of %d", g.symbol, codes[g.symbol], lengths[g.symbol], g.code, g.bits)
		}
	}
}

// Every symbol is encoded as x/net does it, alone, at every position in a byte, before and after every other one.
func TestEverySymbol(t *testing.T) {
	for a := range 256 {
		for b := range 256 {
			in := []byte{byte(a), byte(b), byte(a), byte(a), byte(b)}
			check(t, in)
			check(t, in[:1+b%5])
		}
		check(t, bytes.Repeat([]byte{byte(a)}, 100))
	}
	check(t, nil)
}

// Random strings are encoded and decoded as x/net does it, and come back.
func TestRandomStrings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		in := make([]byte, r.IntN(200))
		for i := range in {
			in[i] = "0etc/-: Z!'#0<\\\x00\x80\xff\n"[r.IntN(19)]
		}
		check(t, in)
	}
}

// check compares the encoding of in with x/net's, and decodes it whole and in two pieces.
func check(t *testing.T, in []byte) {
	t.Helper()
	code := Append([]byte("-"), in)
	if want := hpack.AppendHuffmanString([]byte("-"), string(in)); !bytes.Equal(code, want) {
		t.Fatalf("%q is written %x, want %x", in, code, want)
	}
	if viaString := Append(nil, string(in)); Len(in) != len(code)-1 || Len(string(in)) != Len(in) || !bytes.Equal(viaString, code[1:]) {
		t.Fatalf("%q: Len %d of %d, as a string %x", in, Len(in), len(code)-1, viaString)
	}
	code = code[1:]
	out, ok := Decode([]byte("+"), code)
	if !ok || string(out) != "+"+string(in) {
		t.Fatalf("%x is read %q %v, want %q", code, out, ok, in)
	}
	if n := len(in); n < MinLen(len(code)) || n > MaxLen(len(code))-8 {
		t.Fatalf("%q: %d bytes of code should hold %d to %d", in, len(code), MinLen(len(code)), MaxLen(len(code)))
	}
	if cut := len(code) / 2; !checkPieces(code[:cut], code[cut:]) || !Valid(code) {
		t.Fatalf("%x is not valid", code)
	}
}

func checkPieces(pieces ...[]byte) bool {
	var c Checker
	for _, p := range pieces {
		if !c.Write(p) {
			return false
		}
	}
	return c.End()
}

// A string ends with a valid padding, and other ends are refused (RFC 7541 §5.2).
func TestPadding(t *testing.T) {
	for _, g := range []struct {
		name, code, want string
		ok               bool
	}{
		{"nothing", "", "", true},
		{"three ones", "07", "0", true},
		{"no padding", "f8", "&", true},
		{"eight ones", "f8ff", "", false},
		{"a byte of ones alone", "ff", "", false},
		{"zeros", "00", "", false},
		{"one zero", "06", "", false},
		{"zeros in seven bits", "f870", "", false},
		{"half a long code", "fffe", "", false},
		{"EOS", "fffffffc", "", false},
		{"EOS and ones", "ffffffff", "", false},
		{"EOS behind a symbol", "07fffffffb", "", false},
		{"EOS between symbols", "07fffffff80707070707070707070707070707", "", false},
		{"EOS early in a long string", strings.Repeat("ff", 40), "", false},
		{"longest code", "fffffff3", "\n", true},
	} {
		code, err := hex.DecodeString(g.code)
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := hpack.HuffmanDecodeToString(code)
		if g.ok != (wantErr == nil) {
			t.Errorf("%s: the expectation differs from x/net's %q, %v", g.name, want, wantErr)
		}
		out, ok := Decode([]byte("+"), code)
		if ok != (wantErr == nil) || ok && string(out) != "+"+want || !ok && string(out) != "+" {
			t.Errorf("%s: %q %v, x/net %q %v", g.name, out, ok, want, wantErr)
		}
		if g.ok && string(out) != "+"+g.want {
			t.Errorf("%s: %q, want %q", g.name, out, g.want)
		}
		for cut := range len(code) + 1 {
			if checkPieces(code[:cut], code[cut:]) != ok {
				t.Errorf("%s in pieces, cut at %d: %v", g.name, cut, !ok)
			}
		}
	}
}

// EOS is refused as soon as it is read, not only at the end.
func TestCheckerStopsAtEOS(t *testing.T) {
	var c Checker
	if c.Write([]byte("\xff\xff\xff\xff")) {
		t.Error("EOS was accepted")
	}
}

// Every string of two bytes, and of four with a random tail, is accepted or refused as by x/net.
func TestShortCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 1 << 16 {
		differential(t, []byte{byte(i >> 8), byte(i)})
		differential(t, []byte{byte(i >> 8), byte(i), byte(r.Uint32()), byte(r.Uint32())})
	}
}

func differential(t *testing.T, code []byte) {
	t.Helper()
	want, err := hpack.HuffmanDecodeToString(code)
	out, ok := Decode(nil, code)
	if ok != (err == nil) || ok && string(out) != want || Valid(code) != ok {
		t.Fatalf("%x: %q %v, x/net %q %v", code, out, ok, want, err)
	}
}

// FuzzDecode must decode what x/net decodes, whole and in pieces, and encode it to the same bytes.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "\x07", "\xff\xff\xff\xff", "\xff\xff\xff\xf3", "\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff"} {
		f.Add([]byte(s), uint(1))
	}
	f.Fuzz(func(t *testing.T, code []byte, cut uint) {
		differential(t, code)
		out, ok := Decode(nil, code)
		at := int(cut % uint(len(code)+1))
		if checkPieces(code[:at], code[at:]) != ok {
			t.Fatalf("%x cut at %d: %v", code, at, !ok)
		}
		if ok && !bytes.Equal(Append(nil, out), code) {
			t.Fatalf("%x: %q is written %x", code, out, Append(nil, out))
		}
	})
}

// FuzzAppend must encode like x/net, and decode the result.
func FuzzAppend(f *testing.F) {
	f.Add([]byte("www.example.com"))
	f.Add([]byte("\x00\xff\n\r\x16"))
	f.Fuzz(func(t *testing.T, in []byte) { check(t, in) })
}

// Encoding and decoding allocate nothing if there is room.
func TestNothingIsAllocated(t *testing.T) {
	in := []byte(strings.Repeat("Mozilla/5.0 (X11; Linux x86_64)\n\\", 9))
	code := Append(nil, in)
	room, out := make([]byte, 0, MaxLen(len(code))), make([]byte, 0, len(code))
	if n := testing.AllocsPerRun(100, func() {
		if got, ok := Decode(room, code); !ok || len(got) != len(in) || len(Append(out, in)) != len(code) || !Valid(code) {
			t.Error("not the string that was meant")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The table has an entry for everything that fits a look-up: two symbols if their codes fit, otherwise one. Without that,
// decoding would be correct but slow.
func TestTableIsFull(t *testing.T) {
	at := func(code uint32, bits uint8) entry { return table[int(code)<<(width-bits)|(1<<(width-bits)-1)] }
	for a := range 256 {
		if lengths[a] > width {
			continue
		}
		if e := at(codes[a], lengths[a]); e.bits() != uint(lengths[a]) || e.textBits() != 8 || byte(e.text()) != byte(a) {
			t.Fatalf("%d: %x", a, e)
		}
		for b := range 256 {
			n := lengths[a] + lengths[b]
			if n > width {
				continue
			}
			e := at(codes[a]<<lengths[b]|codes[b], n)
			if e.bits() != uint(n) || e.textBits() != 16 || byte(e.text()) != byte(a) || byte(e.text()>>8) != byte(b) {
				t.Fatalf("%d %d: %x", a, b, e)
			}
		}
	}
}
