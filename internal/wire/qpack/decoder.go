package qpack

import (
	"math"

	"github.com/shockwave-go/shockwave/hpack"
	"github.com/shockwave-go/shockwave/internal/wire/fieldtext"
	"github.com/shockwave-go/shockwave/internal/wire/huffman"
)

// The first bits of a field representation (RFC 9204 §4.5).
const (
	indexedBit  = 0x80 // §4.5.2
	nameRefBit  = 0x40 // §4.5.4
	literalBit  = 0x20 // §4.5.6; without it §4.5.3 and §4.5.5, which refer to a dynamic table
	staticBit   = 0x40 // of an indexed field
	staticName  = 0x10 // of a literal with a name reference
	neverName   = 0x20 // of a literal with a name reference: it must stay a literal
	neverBit    = 0x10 // of a literal: likewise
	huffmanName = 0x08
	huffmanBit  = 0x80

	indexedMask = 0x3F
	nameRefMask = 0x0F
	nameMask    = 0x07
	textMask    = 0x7F
	baseSign    = 0x80
)

// overhead is added to the name and value of a line to get its size in a section (RFC 9114 §4.2.2).
const overhead = 32

// Decoder decodes field sections. Sections do not depend on one another, so any Decoder can decode any of them.
//
// The limits bound the fields that a section is decoded to, and are checked before anything is expanded. They may be changed
// between sections; a limit that is not positive is none. The zero value is ready for use. A Decoder is not safe for
// concurrent use.
type Decoder struct {
	MaxListBytes int // of names and values, plus 32 for each field
	MaxFields    int

	texts fieldtext.Chunk
}

// Decode decodes the whole section b, appends its fields to fields and returns the extended slice. b is not kept. The strings
// never change and may be kept.
//
// The error is an *Error. If its code is TooLarge, the fields are those before the limit was exceeded, which may include all
// pseudo-fields; what follows them was not looked at.
func (d *Decoder) Decode(b []byte, fields []hpack.Field) ([]hpack.Field, error) {
	b, err := readPrefix(b)
	if err != nil {
		return fields, err
	}
	left, most := limitOr(d.MaxListBytes), limitOr(d.MaxFields)
	for len(b) > 0 {
		var f hpack.Field
		if f, b, err = d.field(b, left-overhead); err != nil {
			return fields, err
		}
		left -= len(f.Name) + len(f.Value) + overhead
		if left < 0 || most == 0 {
			return fields, errTooLarge
		}
		most--
		fields = append(fields, f)
	}
	return fields, nil
}

// Trim releases memory that is kept only for speed.
func (d *Decoder) Trim() { d.texts = fieldtext.Chunk{} }

// limitOr returns the meaning of a limit.
func limitOr(limit int) int {
	if limit <= 0 {
		return math.MaxInt
	}
	return limit
}

// readPrefix reads what a section begins with (RFC 9204 §4.5.1).
func readPrefix(b []byte) (rest []byte, err error) {
	required, b, err := readInt(b, 0xFF)
	switch {
	case err != nil:
		return nil, err
	case required != 0:
		return nil, errRequired
	case len(b) == 0:
		return nil, errTruncated
	case b[0]&baseSign != 0:
		return nil, errBase
	}
	_, rest, err = readInt(b, textMask) // a section that needs no table may have any base
	return rest, err
}

// field decodes the first field in b, whose name and value may have room bytes.
func (d *Decoder) field(b []byte, room int) (f hpack.Field, rest []byte, err error) {
	switch c := b[0]; {
	case c&indexedBit != 0:
		e, rest, err := entry(b, c&staticBit != 0, indexedMask)
		if err != nil {
			return f, nil, err
		}
		return hpack.Field{Name: e.name, Value: e.value}, rest, nil
	case c&nameRefBit != 0:
		e, rest, err := entry(b, c&staticName != 0, nameRefMask)
		if err != nil {
			return f, nil, err
		}
		b, f.Name, f.Sensitive = rest, e.name, c&neverName != 0
	case c&literalBit != 0:
		if f.Name, b, err = d.text(b, nameMask, huffmanName, room); err != nil {
			return f, nil, err
		}
		f.Sensitive = c&neverBit != 0
	default:
		return f, nil, errDynamic
	}
	f.Value, rest, err = d.text(b, textMask, huffmanBit, room-len(f.Name))
	return f, rest, err
}

// entry returns the entry of the static table that b begins with a reference to.
func entry(b []byte, static bool, mask byte) (e *tableEntry, rest []byte, err error) {
	if !static {
		return nil, nil, errDynamic
	}
	i, rest, err := readInt(b, mask)
	if err != nil {
		return nil, nil, err
	}
	if i >= staticLen {
		return nil, nil, errIndex
	}
	return &staticTable[i], rest, nil
}

// text decodes the string that b begins with, of room bytes at most (RFC 9204 §4.1.2). coded is the bit that says that it has
// the Huffman code.
func (d *Decoder) text(b []byte, mask, coded byte, room int) (s string, rest []byte, err error) {
	if len(b) == 0 {
		return "", nil, errTruncated
	}
	isCoded := b[0]&coded != 0
	n, rest, err := readInt(b, mask)
	switch {
	case err != nil:
		return "", nil, err
	case n > uint64(len(rest)):
		return "", nil, errTruncated
	}
	in := rest[:n]
	if !isCoded {
		if len(in) > room {
			return "", nil, errTooLarge
		}
		return d.texts.Text(in), rest[n:], nil
	}
	if huffman.MinLen(len(in)) > room {
		return "", nil, errTooLarge
	}
	s, ok := d.texts.Huffman(in)
	if !ok {
		return "", nil, errHuffman
	}
	return s, rest[n:], nil
}
