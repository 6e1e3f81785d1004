package hpack

import "github.com/shockwave-go/shockwave/internal/huffman"

// literal is a field that is written out (RFC 7541 §6.2), as it stands in the bytes of a block.
type literal struct {
	toTable, sensitive bool
	index              int // of the name; 0 if it is written out, too
	name, value        text
}

// text is where a string literal stands (RFC 7541 §5.2).
type text struct {
	start, n int
	huffman  bool
}

// in returns the string's bytes, as they are written.
func (t text) in(b []byte) []byte { return b[t.start:][:t.n] }

// wholeIn reports whether all of it is in b.
func (t text) wholeIn(b []byte) bool { return t.n <= len(b)-t.start }

// least returns how long the string is at least, which is no more than n.
func (t text) least() int {
	if t.huffman {
		return huffman.MinLen(t.n)
	}
	return t.n
}

// isValid reports whether it can be read at all.
func (t text) isValid(b []byte) bool { return !t.huffman || huffman.Valid(t.in(b)) }

// find finds the string literal at b[at:]; ok is false if its length is not whole. It fills t part by part: returning a
// text and copying it takes longer.
func (t *text) find(b []byte, at int) (ok bool, err error) {
	if at >= len(b) {
		return false, nil
	}
	n, size, err := readInt(b[at:], 0x7F)
	t.n = n
	t.start = at + size
	t.huffman = b[at]&0x80 != 0
	return size > 0, err
}

// literal reads one literal field and returns the number of its bytes: 0 if it is not whole, and all of b if the rest
// of it will be dropped.
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
		n, err := d.wait(&l, open, b)
		return n, fields, err
	}
	fields, err = d.take(&l, b, fields)
	return l.value.start + l.value.n, fields, err
}

// find finds the parts of the literal that b begins with. If it is not whole, open is the part that is missing, with its
// length if that is known.
func (d *Decoder) find(l *literal, b []byte) (open *text, err error) {
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

// take takes a literal that is whole in b. Beyond the limits it is read only for the table's sake.
func (d *Decoder) take(l *literal, b []byte, fields []Field) ([]Field, error) {
	s := &d.block
	if s.over || max(l.name.n, l.value.n) > s.longest {
		least := max(l.name.least(), l.value.least())
		if least > s.longest {
			s.exceed()
		}
		if s.over && (!l.toTable || least > d.table.max) {
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
	} else if name, ok = from.read(l.name, b); !ok {
		return fields, errHuffman
	}
	if value, ok = from.read(l.value, b); !ok {
		return fields, errHuffman
	}
	if l.toTable {
		d.table.insert(name, value)
	}
	if max(len(name), len(value)) > s.longest {
		s.exceed()
	} else if s.takes(len(name) + len(value)) {
		fields = appendField(fields, name, value, l.sensitive)
	}
	return fields, nil
}

// pass takes a literal that is neither given out nor put into the table, which it empties if it was meant for it.
func (d *Decoder) pass(l *literal, b []byte) error {
	if !l.name.isValid(b) || !l.value.isValid(b) {
		return errHuffman
	}
	if l.toTable {
		d.table.evict(0)
	}
	return nil
}

// read returns a string of a block.
func (c *chunk) read(t text, b []byte) (string, bool) {
	if t.huffman {
		return c.huffman(t.in(b))
	}
	return c.text(t.in(b)), true
}

// renewed is how long a name of the dynamic table may be to be copied when a new entry takes it over. Otherwise one name
// that is passed on again and again would pin the chunk that it stands in, long after all else in that has gone. A
// longer one pins little besides itself, and copying it would be work for which the peer pays one byte.
const renewed = 64

// nameAt returns the name with the index i, which is known to exist.
func (d *Decoder) nameAt(i int, toTable bool) string {
	if i <= staticLen {
		return staticTable[i].name
	}
	name := d.table.at(i - staticLen - 1).name
	if toTable && len(name) <= renewed {
		return d.kept.copyOf(name)
	}
	return name
}
