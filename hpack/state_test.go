package hpack

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	xhpack "golang.org/x/net/http2/hpack"
)

// A decoder that is replaced by its state between any two blocks decodes the same, and so does one whose encoder is
// replaced, whatever happens to the sizes of the tables.
func TestStateGoesOn(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		enc, one, two := new(Encoder), new(Decoder), new(Decoder)
		size := DefaultTableSize
		resized, replaced := false, false
		other := xhpack.NewDecoder(DefaultTableSize, nil)
		for n := range 60 {
			for range r.IntN(4) {
				switch r.IntN(4) {
				case 0:
					if r.IntN(2) == 0 { // another one
						enc = new(Encoder)
					} else {
						enc.Reset()
					}
					enc.SetMaxTableSize(size)
					replaced = true
				case 1:
					size = []int{0, 100, r.IntN(DefaultTableSize), DefaultTableSize}[r.IntN(4)]
					resized = true
					one.SetAllowedTableSize(size)
					two.SetAllowedTableSize(size)
					other.SetAllowedMaxDynamicTableSize(uint32(size))
					enc.SetMaxTableSize(size)
				}
			}
			fields := someFields(r, n)
			var block []byte
			if replaced && resized {
				block = enc.AppendTableSize(nil)
			}
			replaced = false
			block = enc.AppendBlock(block, fields)
			a, err := one.Decode(block)
			if err != nil {
				t.Fatal(err)
			}
			b, err := two.Decode(block)
			if err != nil {
				t.Fatal(err)
			}
			c, err := other.DecodeFull(block)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(a, b) || len(c) != len(a) {
				t.Fatalf("seed %d, block %d: %v, replaced %v, x/net %v", seed, n, a, b, c)
			}
			for i := range c {
				if a[i].Name != c[i].Name || a[i].Value != c[i].Value {
					t.Fatalf("seed %d, block %d: %v, x/net %v", seed, n, a, c)
				}
			}
			p, err := two.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.IntN(2) == 0 {
				two = new(Decoder)
			} else {
				two.Reset()
			}
			if err := two.UnmarshalBinary(p); err != nil {
				t.Fatal(err)
			}
			clear(p) // nothing of it is kept
			if one.TableSize() != two.TableSize() {
				t.Fatalf("seed %d, block %d: a table of %d bytes is one of %d restored", seed, n, one.TableSize(), two.TableSize())
			}
		}
	}
}

// someFields returns the fields of block n, some of which are repeated.
func someFields(r *rand.Rand, n int) (fields []Field) {
	fields = append(fields, Field{Name: ":status", Value: "200"})
	for range r.IntN(8) {
		switch r.IntN(3) {
		case 0:
			fields = append(fields, Field{Name: "server", Value: fmt.Sprint("s", r.IntN(4))})
		case 1:
			fields = append(fields, Field{Name: fmt.Sprint("x-", r.IntN(6)), Value: strings.Repeat("v", r.IntN(300))})
		default:
			fields = append(fields, Field{Name: strings.Repeat("n", 1+r.IntN(200)), Value: fmt.Sprint(n)})
		}
	}
	return fields
}

// Limits, tables and sizes do not carry over to the next connection.
func TestResetForgets(t *testing.T) {
	e := &Encoder{TableLimit: 100}
	d := &Decoder{MaxFields: 1, MaxListBytes: 100}
	many := []Field{{Name: "x-name", Value: "value"}, {Name: "x-other", Value: "value"}}
	if _, err := d.Decode(e.AppendBlock(nil, many)); err == nil {
		t.Fatal("no limit")
	}
	d.SetAllowedTableSize(0)
	e.Reset()
	d.Reset()
	if n := d.TableSize(); n != 0 {
		t.Errorf("a table of %d bytes is left", n)
	}
	for range 2 {
		block := e.AppendBlock(nil, many)
		want, err := new(Decoder).Decode(new(Encoder).AppendBlock(nil, many))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := d.Decode(block); err != nil || !slices.Equal(got, want) {
			t.Errorf("%x is %v, %v", block, got, err)
		}
	}
}

// Reset keeps the memory of small tables, not of large ones.
func TestResetKeepsLittle(t *testing.T) {
	for n, keeps := range map[int]bool{3: true, maxKeptEntries: true, maxKeptEntries + 1: false} {
		var e Encoder
		var d Decoder
		for i := range n {
			if _, err := d.Decode(e.AppendBlock(nil, []Field{{Name: fmt.Sprint("x-", i), Value: "v"}})); err != nil {
				t.Fatal(err)
			}
		}
		e.Reset()
		d.Reset()
		if got := e.table.ring != nil; got != keeps {
			t.Errorf("%d entries: an encoder's memory is kept: %v", n, got)
		}
		if got := d.table.ring != nil; got != keeps {
			t.Errorf("%d entries: a decoder's memory is kept: %v", n, got)
		}
	}
}

// The state of a decoder is about as large as the entries of its table.
func TestStateIsSmall(t *testing.T) {
	d := new(Decoder)
	e := new(Encoder)
	if _, err := d.Decode(e.AppendBlock(nil, []Field{{Name: ":authority", Value: "example.com"}, {Name: "x-name", Value: "value"}})); err != nil {
		t.Fatal(err)
	}
	p, err := d.AppendBinary(nil)
	if texts := len("example.com") + len("x-name") + len("value"); err != nil || cap(p) > texts+40 || len(p) > texts+12 {
		t.Errorf("%d bytes of %d, with %d of text: %v", len(p), cap(p), texts, err)
	}
}

// A decoder has no state within a block and after an error.
func TestStateIsBetweenBlocks(t *testing.T) {
	d := new(Decoder)
	block := new(Encoder).AppendBlock(nil, []Field{{Name: "x-name", Value: "value"}})
	if _, err := d.Append(block[:2], nil); err != nil {
		t.Fatal(err)
	}
	if _, err := d.AppendBinary(nil); err == nil {
		t.Error("a state within a block")
	}
	if fields, err := d.Append(block[2:], nil); err != nil || len(fields) != 1 || d.End() != nil {
		t.Errorf("the block goes on with %v, %v", fields, err)
	}
	if _, err := d.AppendBinary(nil); err != nil {
		t.Error("no state behind the block")
	}
	d = new(Decoder)
	if _, err := d.Decode([]byte{0x80}); err == nil {
		t.Fatal("index 0 was taken")
	}
	if _, err := d.AppendBinary(nil); err == nil {
		t.Error("a state after an error")
	}
}

// A malformed state is refused, whatever is wrong with it, and does not panic.
func TestMalformedState(t *testing.T) {
	d, e := new(Decoder), new(Encoder)
	if _, err := d.Decode(e.AppendBlock(nil, []Field{{Name: ":authority", Value: "example.com"}, {Name: "x-name", Value: "value"}})); err != nil {
		t.Fatal(err)
	}
	good, err := d.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range good {
		if new(Decoder).UnmarshalBinary(good[:n]) == nil {
			t.Errorf("the first %d bytes of a state are one", n)
		}
	}
	if new(Decoder).UnmarshalBinary(append(good, 0)) == nil {
		t.Error("a state and a byte are one")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		p := slices.Clone(good)
		for range 1 + r.IntN(3) {
			p[r.IntN(len(p))] = byte(r.IntN(256))
		}
		new(Decoder).UnmarshalBinary(p)
	}
}
