package hpack

import (
	"encoding/binary"
)

// Packed is what the Decoder of a connection that is idle must not forget, in as little memory as that takes: the sizes of
// its dynamic table and what stands in it. It is used once.
type Packed []byte

// Pack returns what Unpack needs to make a Decoder that goes on where d stands; d is of no use afterwards. It is to be
// called between blocks. ok is false within one, and after an error: then d stays as it is.
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
	for i := t.n - 1; i >= 0; i-- { // the oldest first
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

// packedLen is enough for most tables.
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

// Unpack makes d, which is the zero Decoder but for its limits, go on where the Decoder stood that p was made of. Nothing of
// p is kept.
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
		return d.kept.text(s)
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
