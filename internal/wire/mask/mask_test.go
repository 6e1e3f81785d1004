package mask

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// maskLoop is RFC 6455 §5.3 as it is written: transformed-octet-i is original-octet-i XOR masking-key-octet-(i MOD 4).
func maskLoop(src []byte, octets [4]byte, offset int) []byte {
	dst := make([]byte, len(src))
	for i := range src {
		dst[i] = src[i] ^ octets[(offset+i)%4]
	}
	return dst
}

// keyAt is the key whose next octet is octets[offset%4].
func keyAt(octets [4]byte, offset int) uint32 {
	var turned [4]byte
	for i := range turned {
		turned[i] = octets[(offset+i)%4]
	}
	return binary.LittleEndian.Uint32(turned[:])
}

func allASCII(b []byte) bool {
	for _, octet := range b {
		if octet >= 0x80 {
			return false
		}
	}
	return true
}

// functions are all functions that mask, in the form of XORASCII. The twins are here too, because a machine with AVX2
// uses them only for short payloads. XOR does not report ASCII, so the loop's result stands in for it.
var functions = []struct {
	name string
	xor  func(dst, src []byte, key uint32) (uint32, bool)
}{
	{"XOR", func(dst, src []byte, key uint32) (uint32, bool) {
		next := XOR(dst, src, key)
		return next, allASCII(dst[:len(src)])
	}},
	{"XORASCII", XORASCII},
	{"xorWords", func(dst, src []byte, key uint32) (uint32, bool) {
		if len(src) < word {
			return XORASCII(dst, src, key)
		}
		xorWords(dst[:len(src)], src, key)
		return turn(key, len(src)), allASCII(dst[:len(src)])
	}},
	{"xorWordsASCII", func(dst, src []byte, key uint32) (uint32, bool) {
		if len(src) < word {
			return XORASCII(dst, src, key)
		}
		seen := xorWordsASCII(dst[:len(src)], src, key)
		return turn(key, len(src)), seen&highBits == 0
	}},
}

const maxLen = 300

// keys: four different octets, one that leaves ASCII alone, one that never does.
var keys = [][4]byte{{0x37, 0xfa, 0x21, 0x3d}, {0x01, 0x02, 0x04, 0x78}, {0x81, 0x92, 0xa4, 0xf8}}

// randomBytes returns n octets, the same for the same seed.
func randomBytes(seed uint64, n int) []byte {
	b := make([]byte, n)
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

// The example of RFC 6455 §5.7 is unmasked, and the key is rotated.
func TestExampleOfTheRFC(t *testing.T) {
	masked := []byte{0x7f, 0x9f, 0x4d, 0x51, 0x58} // RFC 6455 §5.7: "Hello" masked with 37 fa 21 3d.
	key := binary.LittleEndian.Uint32([]byte{0x37, 0xfa, 0x21, 0x3d})
	dst := make([]byte, 5)
	next, ascii := XORASCII(dst, masked, key)
	if string(dst) != "Hello" || !ascii {
		t.Errorf("unmasked %q, ASCII %t", dst, ascii)
	}
	if want := binary.LittleEndian.Uint32([]byte{0xfa, 0x21, 0x3d, 0x37}); next != want {
		t.Errorf("after five octets the key is %08x, want %08x", next, want)
	}
	if XOR(dst, dst, key); !bytes.Equal(dst, masked) {
		t.Errorf("masked % x", dst)
	}
}

// The result is right for every length, key and key offset, from every alignment of src to every alignment of dst, and in
// place.
func TestEveryLengthAndAlignment(t *testing.T) {
	const align, canary = 32, 0xc5
	space := make([]byte, maxLen+4*align)
	source := make([]byte, maxLen+4*align)
	around := bytes.Repeat([]byte{canary}, align)
	base := randomBytes(1, maxLen)
	step := 1
	if testing.Short() || raceEnabled {
		step = 7 // Coprime to 32: all alignments come up, not all pairs of them.
	}
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			check := func(how string, from, at int, want []byte, next, wantNext uint32, rightASCII bool) {
				n := len(want)
				if !bytes.Equal(space[at:at+n], want) || next != wantNext || !rightASCII {
					t.Fatalf("%d octets from %d to %d %s: wrote % x, next %08x, right on ASCII %t; want % x, %08x",
						n, from, at-align, how, space[at:at+n], next, rightASCII, want, wantNext)
				}
				if !bytes.Equal(space[at-align:at], around) || !bytes.Equal(space[at+n:at+n+align], around) {
					t.Fatalf("%d octets from %d to %d %s: wrote outside of dst", n, from, at-align, how)
				}
			}
			fill(space, canary)
			for n := 0; n <= maxLen; n++ {
				for _, octets := range keys {
					for offset := range 4 {
						want, key, wantNext := maskLoop(base[:n], octets, offset), keyAt(octets, offset), keyAt(octets, offset+n)
						wantASCII := allASCII(want)
						for from := 0; from < align; from += step {
							src := source[from : from+n]
							copy(src, base)
							for to := (n + offset) % step; to < align; to += step {
								at := align + to
								next, ascii := f.xor(space[at:at+n+to], src, key)
								check("", from, at, want, next, wantNext, ascii == wantASCII)
								fill(space[at:at+n], canary)
							}
							if !bytes.Equal(src, base[:n]) {
								t.Fatalf("%d octets from %d: src was changed", n, from)
							}
							at := align + from
							inPlace := space[at : at+n]
							copy(inPlace, base)
							next, ascii := f.xor(inPlace, inPlace, key)
							check("in place", from, at, want, next, wantNext, ascii == wantASCII)
							fill(inPlace, canary)
						}
					}
				}
			}
		})
	}
}

func fill(b []byte, octet byte) {
	for i := range b {
		b[i] = octet
	}
}

// A payload that is cut anywhere, and one that is masked octet by octet, gives the same bytes as the whole.
func TestPieces(t *testing.T) {
	src := randomBytes(2, maxLen)
	dst := make([]byte, maxLen)
	octets := keys[0]
	key := keyAt(octets, 0)
	for _, f := range functions {
		for n := 0; n <= maxLen; n++ {
			want := maskLoop(src[:n], octets, 0)
			for cut := 0; cut <= n; cut++ {
				next, _ := f.xor(dst, src[:cut], key)
				next, _ = f.xor(dst[cut:], src[cut:n], next)
				if !bytes.Equal(dst[:n], want) || next != keyAt(octets, n) {
					t.Fatalf("%s: %d octets cut at %d: % x, next %08x, want % x", f.name, n, cut, dst[:n], next, want)
				}
			}
			next := key
			for i := range n {
				next, _ = f.xor(dst[i:], src[i:i+1], next)
			}
			if !bytes.Equal(dst[:n], want) || next != keyAt(octets, n) {
				t.Fatalf("%s: %d octets one by one: % x, want % x", f.name, n, dst[:n], want)
			}
		}
	}
}

// One octet above 0x7f is noticed at every position; the octets of src before unmasking do not matter.
func TestASCII(t *testing.T) {
	dst := make([]byte, maxLen)
	octets := keys[2]
	key := keyAt(octets, 0)
	for _, f := range functions[1:] {
		for n := 0; n <= maxLen; n++ {
			text := bytes.Repeat([]byte{0x7f}, n)
			if _, ascii := f.xor(dst, maskLoop(text, octets, 0), key); !ascii {
				t.Fatalf("%s: %d octets 7f are not ASCII", f.name, n)
			}
			for i := range n {
				text[i] = 0x80
				if _, ascii := f.xor(dst, maskLoop(text, octets, 0), key); ascii {
					t.Fatalf("%s: 80 at %d of %d was not seen", f.name, i, n)
				}
				text[i] = 0x7f
			}
		}
	}
}

// A destination that is too short panics before anything is written.
func TestShortDst(t *testing.T) {
	for _, n := range []int{1, 7, 8, 31, 32, 100} {
		for _, f := range functions[:2] {
			room := make([]byte, n)
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: %d octets fitted into %d", f.name, n, n-1)
					}
				}()
				f.xor(room[:n-1], make([]byte, n), 0x01020304) // There is capacity for the last one, but no right to it.
			}()
			if !bytes.Equal(room, make([]byte, n)) {
				t.Errorf("%s: wrote before it panicked", f.name)
			}
		}
	}
}

// All functions give the same bytes, key and ASCII result as the simple loop, wherever the input is cut.
func FuzzXOR(f *testing.F) {
	f.Add([]byte("Hello"), uint32(0x3d21fa37), uint16(2))
	f.Add(bytes.Repeat([]byte("0123456789abcdef"), 9), uint32(0x80402001), uint16(33))
	f.Add([]byte{}, uint32(0), uint16(0))
	f.Fuzz(func(t *testing.T, src []byte, key uint32, cut uint16) {
		var octets [4]byte
		binary.LittleEndian.PutUint32(octets[:], key)
		want, at := maskLoop(src, octets, 0), min(int(cut), len(src))
		for _, function := range functions {
			dst := bytes.Clone(src)
			next, left := function.xor(dst[:at], dst[:at], key)
			next, right := function.xor(dst[at:], src[at:], next)
			if !bytes.Equal(dst, want) || next != keyAt(octets, len(src)) || (left && right) != allASCII(want) {
				t.Fatalf("%s: % x with key %08x cut at %d: % x, next %08x, ASCII %t and %t", function.name, src, key, at, dst, next, left, right)
			}
		}
	})
}
