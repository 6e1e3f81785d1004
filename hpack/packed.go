package hpack

import (
	"encoding/binary"
)

// Packed is the state of the Decoder of an idle connection in as little memory as possible: the sizes and the entries of
// its dynamic table.
type Packed []byte

// Pack returns the state that Unpack restores in another Decoder; d must not be used afterwards. It must be called
// between blocks. If it is called within one, or after an error, ok is false and d is unchanged.
func (d *Decoder) Pack() (p Packed, ok bool) {
	if d.block.open || d.err != nil {
		return nil, false
	}
	d.prepare()
	t := &d.table
	p = make(Packed, 0, packedLen(t))
	p = binary.AppendUvarint(p, uint64(t.max))
	p = binary.AppendUvarint(p, uint64(d.allowed))
	due := uint64(0)
	if d.updateDue {
		due = 1 + uint64(d.updateMost)
	}
	p = binary.AppendUvarint(p, due)
	p = binary.AppendUvarint(p, uint64(t.n))
	for i := t.n - 1; i >= 0; i-- { // oldest first
		e := t.at(i)
		name := bytesOf(e.name)
		static := findStatic(hash(0, name), name)
		p = binary.AppendUvarint(p, uint64(static))
		if static == 0 {
			p = append(binary.AppendUvarint(p, uint64(len(name))), name...)
		}
		p = append(binary.AppendUvarint(p, uint64(len(e.value))), e.value...)
	}
	return p, true
}

// packedLen estimates the length of a packed table. It is enough for most.
func packedLen(t *decoderTable) int {
	n := 4 * binary.MaxVarintLen32
	for i := range t.n {
		e := t.at(i)
		n += len(e.value) + 2
		if name := bytesOf(e.name); findStatic(hash(0, name), name) == 0 {
			n += len(name) + 2
		}
	}
	return n
}

// Unpack restores the state that Pack returned. d must be a zero Decoder, but its limits may be set. p is not kept.
func (d *Decoder) Unpack(p Packed) {
	next := func() int {
		v, n := binary.Uvarint(p)
		p = p[n:]
		return int(v)
	}
	text := func() string {
		n := next()
		s := p[:n]
		p = p[n:]
		return d.kept.Text(s)
	}
	d.ready = true
	d.table.max = next()
	d.allowed = next()
	if due := next(); due > 0 {
		d.updateDue, d.updateMost = true, due-1
	}
	for range next() {
		var name string
		if static := next(); static > 0 {
			name = staticTable[static].name
		} else {
			name = text()
		}
		d.table.insert(name, text())
	}
}
