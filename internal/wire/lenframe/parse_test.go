package lenframe

import (
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave"
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

// wantTooLarge checks everything in the text of an error of this package.
func wantTooLarge(t *testing.T, err error, length, limit int64, who shockwave.Blame) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || *e != (Error{Length: length, Limit: limit, Who: who}) {
		t.Fatalf("%#v, want %d bytes of %d refused, by %v", err, length, limit, who)
	}
	var pe shockwave.ProtocolError
	if !errors.As(err, &pe) || pe.Blame() != who || pe.Reference() != "docs/wire/streamsock.md" {
		t.Fatalf("as a ProtocolError: %v", pe)
	}
}

// Each message is written as the bytes of the table, and read back from them, cut anywhere.
func TestMessages(t *testing.T) {
	for _, g := range []struct{ name, wire, payload string }{
		{"empty", "00 00 00 00", ""},
		{"one byte", "00 00 00 01 61", "61"},
		{"hello", "00 00 00 05 68 65 6c 6c 6f", "68 65 6c 6c 6f"},
		{"a header as payload", "00 00 00 04 00 00 00 01", "00 00 00 01"},
		{"256 bytes", "00 00 01 00" + strings.Repeat(" ab", 256), strings.Repeat("ab", 256)},
		{"65536 bytes", "00 01 00 00" + strings.Repeat(" cd", 65536), strings.Repeat("cd", 65536)},
	} {
		wire, payload := bytesOf(t, g.wire), bytesOf(t, g.payload)
		if got := Append([]byte("before"), payload); string(got) != "before"+string(wire) {
			t.Errorf("%s: written as % .20x", g.name, got)
		}
		if got := AppendHeader([]byte("before"), len(payload)); string(got) != "before"+string(wire[:HeaderSize]) {
			t.Errorf("%s: header written as % x", g.name, got)
		}
		for size := range min(len(wire), 300) {
			if p, n, err := Parse(wire[:size:size], 0); p != nil || n != 0 || err != nil {
				t.Fatalf("%s, %d bytes: %x, %d, %v", g.name, size, p, n, err)
			}
		}
		for _, max := range []uint32{0, uint32(len(payload)), uint32(len(payload)) + 1, MaxLength} {
			if max == 0 && len(payload) == 0 {
				continue
			}
			for _, more := range []string{"", "\x00", "\xff\xff\xff\xff"} {
				p, n, err := Parse(append(wire[:len(wire):len(wire)], more...), max)
				if string(p) != string(payload) || n != len(wire) || err != nil || cap(p) != len(p) {
					t.Fatalf("%s, at most %d: %.20x, %d, %v, room for %d", g.name, max, p, n, err, cap(p))
				}
			}
		}
	}
}

// A length that is too large is refused as soon as the header is there, whatever follows it, and not before.
func TestLengthsThatAreRefused(t *testing.T) {
	for _, g := range []struct {
		wire string
		max  uint32
		want int64
	}{
		{"00 00 00 02", 1, 2},
		{"00 00 00 06 68 65 6c 6c 6f 21", 5, 6},
		{"01 00 00 01", 1 << 24, 1<<24 + 1},
		{"7f ff ff ff", 1 << 24, math.MaxInt32},
		{"80 00 00 00", 1 << 24, 1 << 31},
		{"ff ff ff ff", 1 << 24, MaxLength},
		{"ff ff ff ff 00", MaxLength - 1, MaxLength},
	} {
		wire := bytesOf(t, g.wire)
		for size := range len(wire) + 1 {
			p, n, err := Parse(wire[:size], g.max)
			if p != nil || n != 0 {
				t.Errorf("%s, %d bytes: took %d for %x", g.wire, size, n, p)
			}
			if size < HeaderSize {
				if err != nil {
					t.Errorf("%s, %d bytes: %v", g.wire, size, err)
				}
				continue
			}
			wantTooLarge(t, err, g.want, int64(g.max), shockwave.Peer)
		}
	}
}

// Without a limit the longest lengths count as messages that are not yet whole, with ints of 32 bits as well.
func TestLengthsWithoutALimit(t *testing.T) {
	for _, wire := range []string{"7f ff ff fc 61", "7f ff ff ff 61", "80 00 00 00 61", "ff ff ff fc 61", "ff ff ff ff 61"} {
		for _, max := range []uint32{0, MaxLength} {
			if p, n, err := Parse(bytesOf(t, wire), max); p != nil || n != 0 || err != nil {
				t.Errorf("%s, at most %d: %x, %d, %v", wire, max, p, n, err)
			}
		}
	}
}

// Check accepts messages up to the limit, and up to the largest length of the format.
func TestCheck(t *testing.T) {
	for _, g := range []struct {
		n   int
		max uint32
	}{{0, 0}, {0, 1}, {1, 1}, {5, 5}, {4, 5}, {math.MaxInt32, 0}, {math.MaxInt32, math.MaxInt32}} {
		if err := Check(g.n, g.max); err != nil {
			t.Errorf("%d of %d: %v", g.n, g.max, err)
		}
	}
	wantTooLarge(t, Check(2, 1), 2, 1, shockwave.Local)
	wantTooLarge(t, Check(math.MaxInt32, 1<<24), math.MaxInt32, 1<<24, shockwave.Local)
	if long := uint64(MaxLength); long <= math.MaxInt {
		if err := Check(int(long), 0); err != nil {
			t.Error(err)
		}
		wantTooLarge(t, Check(int(long+1), 0), MaxLength+1, MaxLength, shockwave.Local)
	}
}

// The error of a message that is too large says its size and the limit.
func TestWhatTheErrorSays(t *testing.T) {
	want := "message too large: 6 bytes, at most 5 are taken"
	if got := Check(6, 5).Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// AppendHeader panics for a length that no header can hold: it would spoil everything behind it.
func TestHeadersThatCannotBe(t *testing.T) {
	long := uint64(MaxLength)
	if long <= math.MaxInt {
		if got := AppendHeader(nil, int(long)); string(got) != "\xff\xff\xff\xff" {
			t.Errorf("the longest length: % x", got)
		}
	}
	for _, n := range []int{-1, math.MinInt, int(long + 1)} { // 0 where an int has 32 bits
		if n == 0 {
			continue
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a header for %d bytes was written", n)
				}
			}()
			AppendHeader(nil, n)
		}()
	}
}
