package hpack

import (
	"github.com/shockwave-go/shockwave/internal/wire/fieldtext"
	"github.com/shockwave-go/shockwave/internal/wire/huffman"
)

// literal is a literal field (RFC 7541 §6.2), by its position in the bytes of a block.
type literal struct {
	toTable, sensitive bool
	index              int // index of the name; 0 if the name is a literal, too
	name, value        stringLiteral
}

// stringLiteral is the position of a string literal (RFC 7541 §5.2).
type stringLiteral struct {
	start, n int
	huffman  bool
}

// in returns the encoded bytes of the string.
func (t stringLiteral) in(b []byte) []byte { return b[t.start:][:t.n] }

// wholeIn reports whether the whole string is in b.
func (t stringLiteral) wholeIn(b []byte) bool { return t.n <= len(b)-t.start }

// minLen returns the least length that the decoded string can have. It is never more than n.
func (t stringLiteral) minLen() int {
	if t.huffman {
		return huffman.MinLen(t.n)
	}
	return t.n
}

// isValid reports whether the string can be decoded.
func (t stringLiteral) isValid(b []byte) bool { return !t.huffman || huffman.Valid(t.in(b)) }

// find parses the start of the string literal at b[at:]: its Huffman flag and its length. ok is false if the length is
// incomplete. It fills in t, because returning a stringLiteral and copying it is slower.
func (t *stringLiteral) find(b []byte, at int) (ok bool, err error) {
	if at >= len(b) {
		return false, nil
	}
	n, size, err := readInt(b[at:], 0x7F)
	t.n = n
	t.start = at + size
	t.huffman = b[at]&0x80 != 0
	return size > 0, err
}

// literal decodes one literal field and returns the number of its bytes: 0 if it is incomplete, and len(b) if the rest of
// it will be dropped.
func (d *Decoder) literal(b []byte, fields []Field) (int, []Field, error) {
	if err := d.fieldBegins(); err != nil {
		return 0, fields, err
	}
	var l literal
	open, err := d.find(&l, b)
	if err != nil {
		return 0, fields, err
	}
	if open != nil {
		n, err := d.waitOrDrop(&l, open, b)
		return n, fields, err
	}
	fields, err = d.take(&l, b, fields)
	return l.value.start + l.value.n, fields, err
}

// find parses the literal that b begins with. If it is incomplete, open is the incomplete part, with its length if that
// is known.
func (d *Decoder) find(l *literal, b []byte) (open *stringLiteral, err error) {
	mask := byte(otherMask)
	if l.toTable = b[0]&literalBit != 0; l.toTable {
		mask = literalMask
	}
	l.sensitive = !l.toTable && b[0]&neverBit != 0
	var at int
	if l.index, at, err = readInt(b, mask); err != nil || at == 0 {
		return &l.name, err
	}
	if l.index > staticLen+d.table.n {
		return nil, errIndex
	}
	var ok bool
	if l.index == 0 {
		if ok, err = l.name.find(b, at); err != nil || !ok || !l.name.wholeIn(b) {
			return &l.name, err
		}
		at = l.name.start + l.name.n
	}
	if ok, err = l.value.find(b, at); err != nil || !ok || !l.value.wholeIn(b) {
		return &l.value, err
	}
	return nil, nil
}

// take decodes a literal that is whole in b. If it exceeds the limits, it is decoded only if it goes into the table.
func (d *Decoder) take(l *literal, b []byte, fields []Field) ([]Field, error) {
	s := &d.block
	if s.exceeded || max(l.name.n, l.value.n) > s.longest {
		least := max(l.name.minLen(), l.value.minLen())
		if least > s.longest {
			s.exceed()
		}
		if s.exceeded && (!l.toTable || least > d.table.max) {
			return fields, d.pass(l, b)
		}
	}
	from := &d.texts
	if l.toTable {
		from = &d.kept
	}
	var name, value string
	ok := true
	if l.index > 0 {
		name = d.nameAt(l.index, l.toTable)
	} else if name, ok = l.name.readFrom(b, from); !ok {
		return fields, errHuffman
	}
	if value, ok = l.value.readFrom(b, from); !ok {
		return fields, errHuffman
	}
	if l.toTable {
		d.table.insert(name, value)
	}
	if max(len(name), len(value)) > s.longest {
		s.exceed()
	} else if s.count(len(name) + len(value)) {
		fields = appendField(fields, name, value, l.sensitive)
	}
	return fields, nil
}

// pass skips a literal that is neither returned nor added to the table. If it was to be added, it empties the table.
func (d *Decoder) pass(l *literal, b []byte) error {
	if !l.name.isValid(b) || !l.value.isValid(b) {
		return errHuffman
	}
	if l.toTable {
		d.table.evict(0)
	}
	return nil
}

// readFrom decodes the string in memory of c.
func (t stringLiteral) readFrom(b []byte, c *fieldtext.Chunk) (string, bool) {
	if t.huffman {
		return c.Huffman(t.in(b))
	}
	return c.Text(t.in(b)), true
}

// maxCopiedName is the length up to which a name of the dynamic table is copied for a new entry that refers to it.
// Without the copy, a name that is passed on from entry to entry would pin its chunk long after all other strings in it
// are unused. A longer name pins little besides itself, and copying it would be work that costs the peer only one byte.
const maxCopiedName = 64

// nameAt returns the name with the index i, which must exist.
func (d *Decoder) nameAt(i int, toTable bool) string {
	if i <= staticLen {
		return staticTable[i].name
	}
	name := d.table.at(i - staticLen - 1).name
	if toTable && len(name) <= maxCopiedName {
		return d.kept.CopyOf(name)
	}
	return name
}
