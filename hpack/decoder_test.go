package hpack

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/wire/fieldtext"
	"github.com/shockwave-go/shockwave/internal/wire/huffman"
)

// Blocks that are refused, and similar ones that are not. The table is empty and may have 4,096 bytes.
func TestWhatIsRefused(t *testing.T) {
	for _, g := range []struct {
		name, wire string
		err        error
	}{
		{"nothing", "", nil},
		{"index 0", "80", errIndexZero},
		{"last of the static table", "bd", nil},
		{"first of an empty dynamic table", "be", errIndex},
		{"first of a dynamic table", "4001610162be", nil},
		{"second of a dynamic table that has one", "4001610162bf", errIndex},
		{"name from an empty dynamic table", "7e0161", errIndex},
		{"name from the end of the static table", "7d0161", nil},
		{"name from nowhere, not indexed", "0f300161", errIndex},
		{"name from nowhere, cut behind the index", "0f30", errIndex},
		{"index of 31 bits", "ff80feffff07", errIndex},
		{"index of 32 bits", "ff81ffffff07", errInteger},
		{"index that overflows", "ffffffffffff", errInteger},
		{"index with zeros in front", "ff8080808000", errIndex},
		{"index with one zero too many", "ff808080808000", errInteger},
		{"index of six bytes that goes on", "ff8080808080", errInteger},
		{"63 as 0x7f and zeros", "ff8000", errIndex},
		{"index that is cut", "ff80", errTruncated},
		{"literal without a name", "40", errTruncated},
		{"literal that is cut in its name", "400261", errTruncated},
		{"literal without a value", "400161", errTruncated},
		{"literal that is cut in its value", "4001610262", errTruncated},
		{"literal whose length is cut", "4001617f", errTruncated},
		{"empty name and value", "400000", nil},
		{"name of 2 GiB", "407f80ffffff07", errTruncated},
		{"name of 4 GiB", "407f80ffffff0f", errInteger},
		{"value of 4 GiB", "007f80ffffff0f", errInteger},
		{"Huffman code without padding", "4081f80161", nil},
		{"Huffman code that ends in zeros", "40016181f0", errHuffman},
		{"Huffman padding of eight bits", "40016182f8ff", errHuffman},
		{"EOS", "40016184fffffffc", errHuffman},
		{"update", "20", nil},
		{"update to what is allowed", "3fe11f", nil},
		{"update to one more", "3fe21f", errUpdateSize},
		{"three updates", "203fe11f3f01", nil},
		{"update behind an indexed field", "8220", errUpdateLate},
		{"update behind a literal", "40016101623f01", errUpdateLate},
		{"update behind an update and a field", "208220", errUpdateLate},
		{"update that is cut", "3f80", errTruncated},
		{"update that overflows", "3fffffffffff", errInteger},
	} {
		want, wire := g.err, unhex(t, g.wire)
		for cut := range len(wire) + 1 {
			var d Decoder
			fields, err := d.Append(wire[:cut], nil)
			if err == nil || err == errTooLarge {
				_, err = d.Append(wire[cut:], fields)
			}
			if err == nil || err == errTooLarge {
				err = d.End()
			}
			if err != want {
				t.Errorf("%s, cut at %d: %v, want %v", g.name, cut, err, want)
			}
			if _, again := d.Decode(unhex(t, "82")); again != want {
				t.Errorf("%s: the next block: %v, want %v", g.name, again, want)
			}
			if end := d.End(); end != want {
				t.Errorf("%s: the next end: %v, want %v", g.name, end, want)
			}
		}
	}
}

// Tables whose size changes (RFC 7541 §4.2), as a conversation: "allow N" is this end's limit, hexadecimal numbers are
// blocks.
func TestTableSizes(t *testing.T) {
	const ab = "4001610162" // a: b, 34 bytes in the table
	for _, g := range []struct {
		name  string
		lines []string
		err   error
		size  int
	}{
		{"nothing changes", []string{ab, "be"}, nil, 34},
		{"the peer takes less", []string{ab, "20" + "82"}, nil, 0},
		{"the peer takes just enough", []string{ab, "3f03" + "be"}, nil, 34},
		{"the peer takes one byte too little", []string{ab, "3f02" + "be"}, errIndex, 0},
		{"less is allowed and told", []string{ab, "allow 100", "3f45" + "be"}, nil, 34},
		{"less is allowed and less told", []string{ab, "allow 100", "3f03" + "be"}, nil, 34},
		{"less is allowed and more told", []string{ab, "allow 100", "3f46"}, errUpdateSize, 34},
		{"less is allowed and nothing told", []string{ab, "allow 100", "be"}, errUpdateMissing, 34},
		{"less is allowed and a literal comes", []string{ab, "allow 100", ab}, errUpdateMissing, 34},
		{"less is allowed and half a literal comes", []string{ab, "allow 100", "40"}, errUpdateMissing, 34},
		{"told once is enough", []string{ab, "allow 100", "3f45", "be"}, nil, 34},
		{"an empty block tells nothing", []string{ab, "allow 100", "", "be"}, errUpdateMissing, 34},
		{"as much as before is allowed", []string{ab, "allow 4096", "be"}, nil, 34},
		{"more is allowed", []string{ab, "allow 5000", "be", "3fe926" + "be"}, nil, 34},
		{"more than more is told", []string{"allow 5000", "3fea26"}, errUpdateSize, 0},
		{"less than the peer takes anyway", []string{"20", "allow 100", "82"}, nil, 0},
		{"nothing, then more", []string{ab, "allow 0", "allow 4096", "20" + "3fe11f" + "be"}, errIndex, 0},
		{"nothing, then more, and only that is told", []string{ab, "allow 0", "allow 4096", "3fe11f"}, errUpdateSize, 0},
		{"nothing, then more, and the end is not told", []string{ab, "allow 0", "allow 4096", "20" + ab}, nil, 0},
		{"less twice", []string{ab, "allow 100", "allow 50", "3f14"}, errUpdateSize, 34},
		{"less twice, told", []string{ab, "allow 100", "allow 50", "3f13" + "be"}, nil, 34},
		{"a negative number", []string{ab, "allow -1", "21"}, errUpdateSize, 0},
		{"an entry that is too large empties the table", []string{"3f03", ab, "400161026262"}, nil, 0},
		{"an entry that fits just so", []string{"3f03", ab, "4001630164" + "be"}, nil, 34},
		{"two entries that fit just so", []string{"3f25", ab, "4001630164" + "bf"}, nil, 68},
		{"two entries that do not", []string{"3f24", ab, "4001630164" + "bf"}, errIndex, 34},
		{"a name that goes while it is taken over", []string{"3f03", ab, "7e0164" + "be"}, nil, 34},
	} {
		var d Decoder
		var err error
		for _, line := range g.lines {
			if err != nil {
				t.Fatalf("%s: before %q: %v", g.name, line, err)
			}
			if n, isAllow := strings.CutPrefix(line, "allow "); isAllow {
				d.SetAllowedTableSize(number(n))
				continue
			}
			_, err = d.Decode(unhex(t, line))
		}
		if err != g.err || d.TableSize() != g.size {
			t.Errorf("%s: %v and %d bytes, want %v and %d", g.name, err, d.TableSize(), g.err, g.size)
		}
	}
}

func number(s string) (n int) {
	digits, negative := strings.CutPrefix(s, "-")
	for _, c := range digits {
		n = n*10 + int(c-'0')
	}
	if negative {
		return -n
	}
	return n
}

func TestNewDecoder(t *testing.T) {
	d := NewDecoder(0)
	if _, err := d.Decode(unhex(t, "4001610162be")); err != errIndex {
		t.Errorf("without a table: %v", err)
	}
	d = NewDecoder(-1)
	if _, err := d.Decode(unhex(t, "21")); err != errUpdateSize {
		t.Errorf("with a negative one: %v", err)
	}
	d = NewDecoder(8192)
	if _, err := d.Decode(unhex(t, "3fe13f")); err != nil || d.table.max != 8192 {
		t.Errorf("with a larger one: %v, %d", err, d.table.max)
	}
}

// lit returns a literal field; kind is 0x40 for one that goes into the table.
func lit(kind byte, name, value string, code bool) []byte {
	out := []byte{kind}
	for _, s := range []string{name, value} {
		if code {
			out = append(appendInt(out, 0x80, 0x7F, huffman.Len(s)), huffman.Append(nil, s)...)
		} else {
			out = append(appendInt(out, 0, 0x7F, len(s)), s...)
		}
	}
	return out
}

// Fields beyond a limit are dropped, and the table stays in step: the next block finds its entries.
func TestLimits(t *testing.T) {
	x := strings.Repeat("x", 6000)
	before := lit(0x40, "first", "1", false)
	after := lit(0x40, "last", "2", true)
	for _, g := range []struct {
		name   string
		d      Decoder
		middle []byte
		want   int // fields of before, middle and after, -1 if they are too many
		table  int // fields in the table
	}{
		{"room for all", Decoder{MaxListBytes: 3*34 + 5 + 1 + 3 + 1}, lit(0, "a", "b", false), 3, 2},
		{"one byte too few", Decoder{MaxListBytes: 5 + 1 + 34 + 4 + 1 + 63}, lit(0, "a", "b", false), -1, 2},
		{"three fields", Decoder{MaxFields: 3}, lit(0, "a", "b", false), 3, 2},
		{"three fields of which two are allowed", Decoder{MaxFields: 2}, lit(0, "a", "b", false), -1, 2},
		{"the last into the table", Decoder{MaxFields: 1}, lit(0x40, "a", "b", false), -1, 3},
		{"a value of the longest length", Decoder{MaxStringLen: 100}, lit(0x40, "a", x[:100], false), 3, 3},
		{"a value of the longest length in code", Decoder{MaxStringLen: 100}, lit(0x40, "a", x[:100], true), 3, 3},
		{"a value that is longer", Decoder{MaxStringLen: 100}, lit(0, "a", x[:101], false), -1, 2},
		{"a value that is longer in code", Decoder{MaxStringLen: 100}, lit(0, "a", x[:101], true), -1, 2},
		{"a value that is longer, into the table", Decoder{MaxStringLen: 100}, lit(0x40, "a", x[:101], false), -1, 3},
		{"a value that is longer in code, into the table", Decoder{MaxStringLen: 100}, lit(0x40, "a", x[:101], true), -1, 3},
		{"a name that is longer", Decoder{MaxStringLen: 100}, lit(0, x[:101], "b", false), -1, 2},
		{"a name that is longer in code, into the table", Decoder{MaxStringLen: 100}, lit(0x40, x[:101], "b", true), -1, 3},
		{"a value that no table holds", Decoder{MaxStringLen: 100}, lit(0x40, "a", x, false), -1, 1},
		{"a value that no table holds in code", Decoder{MaxStringLen: 100}, lit(0x40, "a", x, true), -1, 1},
		{"a name that no table holds", Decoder{MaxStringLen: 100}, lit(0x40, x, "b", false), -1, 1},
		{"a name that no table holds in code", Decoder{MaxStringLen: 100}, lit(0x40, x, "b", true), -1, 1},
		{"both", Decoder{MaxStringLen: 100}, lit(0x40, x, x, true), -1, 1},
		{"both, not into the table", Decoder{MaxStringLen: 100}, lit(0x10, x, x, false), -1, 2},
		{"a long value within the limits that no table holds", Decoder{}, lit(0x40, "a", x, true), 3, 1},
		{"a list that the long value is too long for", Decoder{MaxListBytes: 1000}, lit(0, "a", x, true), -1, 2},
		{"no limits", Decoder{MaxListBytes: -1, MaxFields: -1, MaxStringLen: -1}, bytes.Repeat(lit(0, "a", x, true), 300), 302, 2},
		{"limits by default: fields", Decoder{}, bytes.Repeat([]byte{0x82}, 198), 200, 2},
		{"limits by default: one field more", Decoder{}, bytes.Repeat([]byte{0x82}, 199), -1, 2},
		{"limits by default: bytes", Decoder{}, lit(0, "a", strings.Repeat("x", 64<<10-3*32-12), true), 3, 2},
		{"limits by default: one byte more", Decoder{}, lit(0, "a", strings.Repeat("x", 64<<10-3*32-12+1), true), -1, 2},
	} {
		block := slices.Concat(before, g.middle, after)
		for _, size := range []int{len(block), 1, 2, 3, 50, 4096} {
			d := g.d
			fields, last := feed(t, &d, block, size)
			if want := (g.want < 0); (last == errTooLarge) != want || !want && len(fields) != g.want {
				t.Errorf("%s, by %d: %d fields, %v", g.name, size, len(fields), last)
			}
			if len(fields) == 0 || fields[0] != (Field{Name: "first", Value: "1"}) {
				t.Errorf("%s, by %d: what came before is %+v", g.name, size, fields)
			}
			if g.want < 0 && len(fields) > 1 && fields[len(fields)-1].Name == "last" {
				t.Errorf("%s, by %d: fields came after the limit", g.name, size)
			}
			if d.table.n != g.table || d.table.at(0).name != "last" {
				t.Errorf("%s, by %d: the table holds %d", g.name, size, d.table.n)
			}
			if next, err := d.Decode([]byte{0xbe}); err != nil || len(next) != 1 || next[0] != (Field{Name: "last", Value: "2"}) {
				t.Errorf("%s, by %d: the next block is %+v, %v", g.name, size, next, err)
			}
		}
	}
}

// feed decodes a block in pieces of the given size. It expects no error of the kind Compression.
func feed(t *testing.T, d *Decoder, block []byte, size int) (fields []Field, last error) {
	t.Helper()
	var err error
	for piece := range slices.Chunk(block, max(size, 1)) {
		fields, err = d.Append(piece, fields)
		if err != nil && err != errTooLarge || last != nil && err == nil {
			t.Fatalf("%v after %v", err, last)
		}
		last = err
	}
	if err := d.End(); err != last {
		t.Fatalf("ended by %v after %v", err, last)
	}
	return fields, last
}

// Dropped strings must be valid all the same, wherever they are cut.
func TestWhatIsDroppedIsStillChecked(t *testing.T) {
	x := strings.Repeat("x", 600)
	bad := []byte(strings.Repeat("\xff", 500))
	badText := append(appendInt(nil, 0x80, 0x7F, len(bad)), bad...)
	badEnd := appendInt(nil, 0x80, 0x7F, huffman.Len(x)+1)
	badEnd = append(huffman.Append(badEnd, x), 0xff)
	goodName := lit(0, x, "", true)
	goodName = goodName[:len(goodName)-1]
	for _, g := range []struct {
		name  string
		block []byte
		err   error
	}{
		{"bad name", slices.Concat([]byte{0}, badText, []byte{0}), errHuffman},
		{"bad value", slices.Concat([]byte{0, 0}, badText), errHuffman},
		{"bad value behind a name that is dropped", slices.Concat(goodName, badText), errHuffman},
		{"bad padding", slices.Concat([]byte{0, 0}, badEnd), errHuffman},
		{"bad name before a value that is dropped", slices.Concat(lit(0, "", "", false)[:1], []byte{0x81, 0x00}, lit(0, "", x, false)[2:]), errHuffman},
		{"length that overflows behind a name that is dropped", slices.Concat(goodName, []byte("\x7f\xff\xff\xff\xff\xff")), errInteger},
		{"end in a name that is dropped", goodName[:len(goodName)-1], errTruncated},
		{"end behind a name that is dropped", goodName, errTruncated},
		{"end in a length behind a name that is dropped", append(slices.Clone(goodName), 0x7f), errTruncated},
		{"end in a value that is dropped", slices.Concat(goodName, badEnd[:50]), errTruncated},
	} {
		for _, over := range []string{"", "8282"} {
			for _, size := range []int{1, 7, 100, 5000} {
				d := Decoder{MaxStringLen: 20, MaxFields: 1}
				block := append(unhex(t, over), g.block...)
				var err error
				for piece := range slices.Chunk(block, size) {
					if _, err = d.Append(piece, nil); err != nil && err != errTooLarge {
						break
					}
				}
				if err == nil || err == errTooLarge {
					err = d.End()
				}
				if err != g.err {
					t.Errorf("%s, by %d: %v, want %v", g.name, size, err, g.err)
				}
			}
		}
	}
}

// A string that claims a length of 2 GiB is not kept, even if all of it is sent.
func TestMemoryFollowsTheLimits(t *testing.T) {
	for _, kind := range []byte{0x00, 0x40} {
		for _, code := range []byte{0, 0x80} {
			d := Decoder{MaxStringLen: 1000}
			block := append([]byte{kind}, appendInt(nil, code, 0x7F, maxValue)...)
			piece := []byte(strings.Repeat("\x00", 16<<10)) // zeros in code are as many '0'
			var err error
			for range 100 {
				if _, err = d.Append(block, nil); err != errTooLarge {
					t.Fatalf("%v", err)
				}
				if cap(d.partial) > 64 || !d.texts.Empty() {
					t.Fatalf("%d bytes are kept", cap(d.partial))
				}
				block = piece
			}
		}
	}
	var d Decoder
	if _, err := d.Append(append([]byte{0}, appendInt(nil, 0, 0x7F, 60000)...), nil); err != nil || cap(d.partial) > 64 {
		t.Errorf("a length of 60000 takes %d bytes, %v", cap(d.partial), err)
	}
	if _, err := d.Append(make([]byte, 60001), nil); err != nil {
		t.Error(err)
	}
	if err := d.End(); err != nil {
		t.Error(err)
	}
	if _, err := d.Decode(nil); err != nil || cap(d.partial) > 0 {
		t.Errorf("%d bytes are kept for the next block, %v", cap(d.partial), err)
	}
}

// An entry of 4 KB, and then thousands of one-byte fields that refer to it: the list ends at its limit, and the rest
// takes no memory.
func TestBomb(t *testing.T) {
	var d Decoder
	if _, err := d.Decode(lit(0x40, "a", strings.Repeat("x", 4000), false)); err != nil {
		t.Fatal(err)
	}
	bomb := bytes.Repeat([]byte{0xbe}, 1<<20)
	into := make([]Field, 0, 20)
	if n := testing.AllocsPerRun(3, func() {
		fields, err := d.DecodeInto(bomb, into)
		if err != errTooLarge || len(fields) != 64<<10/4033 {
			t.Errorf("%d fields, %v", len(fields), err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A name that is passed on from entry to entry does not pin the chunks that it was in.
func TestNamesAreRenewed(t *testing.T) {
	var d Decoder
	if _, err := d.Decode(lit(0x40, "name", "value", false)); err != nil {
		t.Fatal(err)
	}
	d.kept = fieldtext.Chunk{}
	old := d.table.at(0).name
	if _, err := d.Decode([]byte("\x7e\x01x")); err != nil || d.table.at(0).name != "name" {
		t.Fatal(err)
	}
	if got := d.table.at(0).name; &bytesOf(got)[0] == &bytesOf(old)[0] {
		t.Error("the new entry holds the old one's memory")
	}
	long := strings.Repeat("n", maxCopiedName+1)
	if _, err := d.Decode(append(lit(0x40, long, "value", false), "\x7e\x01x"...)); err != nil {
		t.Fatal(err)
	}
	if a, b := d.table.at(0).name, d.table.at(1).name; a != long || &bytesOf(a)[0] != &bytesOf(b)[0] {
		t.Error("a long name is copied")
	}
}

// Strings that were returned never change, however much is decoded afterwards and whatever happens to the input buffer.
func TestStringsAreTheCallers(t *testing.T) {
	var d Decoder
	var kept, copies []Field
	for i := range 300 {
		name, value := strings.Repeat("n", i%70), strings.Repeat("v", i*7%400)
		buf := append(lit([]byte{0, 0x10, 0x40}[i%3], name, value, i%2 == 0), 0x82)
		fields, err := d.Decode(buf)
		if err != nil || len(fields) != 2 {
			t.Fatal(err)
		}
		kept = append(kept, fields...)
		for _, f := range fields {
			copies = append(copies, Field{strings.Clone(f.Name), strings.Clone(f.Value), f.Sensitive})
		}
		clear(buf)
		if i%10 == 0 {
			d.Trim()
		}
	}
	if !slices.Equal(kept, copies) {
		t.Error("a string has changed")
	}
}

func TestTrimKeepsHalfABlock(t *testing.T) {
	var d Decoder
	block := lit(0x40, "name", "value", true)
	fields, err := d.Append(block[:4], nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Trim()
	if fields, err = d.Append(block[4:], fields); err != nil || len(fields) != 1 || fields[0].Value != "value" {
		t.Errorf("%+v, %v", fields, err)
	}
	if err := d.End(); err != nil {
		t.Error(err)
	}
	if d.Trim(); d.partial != nil || !d.texts.Empty() {
		t.Error("memory is kept")
	}
}
