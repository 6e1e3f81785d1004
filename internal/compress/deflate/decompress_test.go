package deflate

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// said is a conversation with a Decompressor.
type said struct {
	*testing.T
	Decompressor
}

func (s *said) hears(what, message, want string) {
	s.Helper()
	p, err := hex.DecodeString(strings.ReplaceAll(message, " ", ""))
	if err != nil {
		s.Fatal(err)
	}
	out, err := s.Message(p, 0)
	if err != nil || string(out) != want {
		s.Errorf("%s: %q, %v, want %q", what, out, err, want)
	}
	bufpool.Put(out)
}

// The examples of RFC 7692 §7.2.3 are decompressed.
func TestExamplesOfTheRFC(t *testing.T) {
	s := &said{t, NewDecompressor(15, true)}
	s.hears("§7.2.3.1: one block", "f2 48 cd c9 c9 07 00", "Hello")
	s.hears("§7.2.3.2: the same with what came before", "f2 00 11 00 00", "Hello")
	s.hears("§7.2.3.3: a block without compression", "00 05 00 fa ff 48 65 6c 6c 6f 00", "Hello")
	s.hears("§7.2.3.4: a final block", "f3 48 cd c9 c9 07 00 00", "Hello")
	s.hears("what came before a final block still counts", "f2 00 11 00 00", "Hello")
	s.hears("§7.2.3.5: two blocks", "f2 48 05 00 00 00 ff ff ca c9 c9 07 00", "Hello")
	s.hears("§7.2.3.6: nothing", "00", "")
	s.hears("nothing changes nothing", "f2 00 11 00 00", "Hello")
	s.hears("nothing, as a final block", "03 00 00", "")
	s.hears("bits that fill a byte need not be zero", "f8", "")
}

// A message that ends with a final block and no empty block after it is accepted.
func TestFinalBlocksAtTheEnd(t *testing.T) {
	s := &said{t, NewDecompressor(15, true)}
	s.hears("one final block", "f3 48 cd c9 c9 07 00", "Hello")
	s.hears("its text is still part of the context", "f2 00 11 00 00", "Hello")
	s.hears("a final block that refers to it", "f3 00 11 00 00", "Hello")
	s.hears("two final blocks", "f3 48 05 00 cb c9 c9 07 00", "Hello")
	s.hears("a stored one", "01 05 00 fa ff 48 65 6c 6c 6f", "Hello")
	s.hears("an ordinary block, then an empty final one", "f2 48 cd c9 c9 07 00 00 00 ff ff 03 00", "Hello")
	s.hears("an empty final block, stored and whole", "01 00 00 ff ff", "")
	s.hears("nothing", "03 00", "")
	s.hears("bits that fill a byte need not be zero", "03 fc", "")
	s.hears("nothing changes nothing", "f2 00 11 00 00", "Hello")
}

// Malformed messages are refused with ErrCorrupt.
func TestWhatIsRefused(t *testing.T) {
	for _, c := range []struct{ what, message string }{
		{"not even the end of an empty block", ""},
		{"no empty block at the end", "f2 48 cd c9 c9 07"},
		{"cut off amid a block", "f2 48 cd"},
		{"the empty block travelled whole", "f2 48 cd c9 c9 07 00 00 00 ff ff"},
		{"cut off amid a final block", "f3 48 cd c9 c9 07"},
		{"a final block, and a block cut off behind it", "f3 48 cd c9 c9 07 00 f2 48"},
		{"a final stored block that is longer than the message", "01 06 00 f9 ff 48 65 6c 6c 6f"},
		{"the empty block travelled whole behind a final one", "f3 48 cd c9 c9 07 00 00 00 00 ff ff"},
		{"bytes behind the empty block", "00 00"},
		{"the reserved kind of block", "06 00"},
		{"a stored block whose lengths differ", "00 05 00 fa fe 48 65 6c 6c 6f 00"},
		{"a stored block cut in its length", "00 05 00 fa"},
		{"a stored block that is longer than the message", "00 06 00 f9 ff 48 65 6c 6c 6f"},
		{"a copy from before the beginning", "f2 00 11 00 00"},
		{"287 lengths", "f4 1f 00 00 00 00 00 00 00 00 00 00 00 00 00 00"},
		{"31 distances", "04 1e 00 00 00 00 00 00 00 00 00 00 00 00 00 00"},
		{"a code of lengths without symbols", "04 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"},
		{"a code with too many short symbols", "04 e0 ff ff ff ff ff ff ff ff ff ff ff ff"},
	} {
		p, _ := hex.DecodeString(strings.ReplaceAll(c.message, " ", ""))
		if out, err := Decompress(p, nil, 15, 0); err != ErrCorrupt || out != nil {
			t.Errorf("%s: %q, %v", c.what, out, err)
		}
	}
}

// A copy that reaches back beyond the agreed window is refused.
func TestCopiesStayInTheWindow(t *testing.T) {
	plain := []byte(strings.Repeat("a", 20) + unlike(300) + strings.Repeat("a", 20) + unlike(300))
	p, err := Compress(append(plain, plain...), 15)
	if err != nil {
		t.Fatal(err)
	}
	defer bufpool.Put(p)
	if out, err := Decompress(p, nil, 8, 0); err != ErrCorrupt {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := Decompress(p, nil, 10, 0); err != nil {
		t.Error(err)
	} else {
		bufpool.Put(out)
	}
}

// unlike returns n bytes that hardly compress.
func unlike(n int) string {
	out := make([]byte, n)
	x := uint32(n)
	for i := range out {
		x = x*1664525 + 1013904223
		out[i] = byte(x >> 24)
	}
	return string(out)
}

// Decompressing ends at the limit, however much would follow.
func TestBombsEndAtTheLimit(t *testing.T) {
	p, err := Compress(make([]byte, 8<<20), 15)
	if err != nil {
		t.Fatal(err)
	}
	defer bufpool.Put(p)
	for _, limit := range []int64{1, 255, 257, 1000, 1 << 16, 1 << 20, 8<<20 - 1} {
		if out, err := Decompress(p, nil, 15, limit); err != ErrTooBig || out != nil {
			t.Errorf("limit %d: %d bytes, %v", limit, len(out), err)
		}
	}
	for _, limit := range []int64{0, 8 << 20, 1 << 62} {
		out, err := Decompress(p, nil, 15, limit)
		if err != nil || !bytes.Equal(out, make([]byte, 8<<20)) {
			t.Errorf("limit %d: %d bytes, %v", limit, len(out), err)
		}
	}
}

// The buffer grows with the decompressed bytes: a message that is too long costs little more than the limit.
func TestRoomFollowsWhatWasSaid(t *testing.T) {
	d := decoder{limit: 3 << 20}
	for d.at < d.limit {
		if err := d.room(1); err != nil {
			t.Fatal(err)
		}
		if len(d.out) > max(4*max(256, 2*d.at), 1) || len(d.out) > d.limit || cap(d.out) > max(4*d.limit, 1<<20) {
			t.Fatalf("%d of %d after %d", len(d.out), cap(d.out), d.at)
		}
		d.at = len(d.out)
	}
	if err := d.room(1); err != ErrTooBig {
		t.Error(err)
	}
}

// Uncompressed blocks obey the limit, too.
func TestStoredBlocksAndTheLimit(t *testing.T) {
	p, _ := hex.DecodeString("000500faff48656c6c6f00")
	if _, err := Decompress(p, nil, 15, 4); err != ErrTooBig {
		t.Error(err)
	}
	out, err := Decompress(p, nil, 15, 5)
	if err != nil || string(out) != "Hello" {
		t.Errorf("%q, %v", out, err)
	}
	bufpool.Put(out)
}
