package hpack

import "github.com/shockwave-go/shockwave/internal/wire/huffman"

// drop is a literal that is known to be too long before all of it has arrived. None of it is kept, but its Huffman code
// is still checked.
type drop struct {
	active  bool
	toTable bool // it was to be added to the table; it does not fit, so it empties the table (RFC 7541 §4.4)
	value   bool // the value is being dropped; otherwise the name before it
	begun   bool // the length of the current string is known
	left    int  // bytes of the current string that are still to come
	huffman bool
	checker huffman.Checker
}

// waitOrDrop handles a literal whose part open is incomplete in b. It returns 0 to wait for the rest, unless open is
// longer than anything that could be returned or added to the table: then it starts to drop the literal and returns
// len(b).
func (d *Decoder) waitOrDrop(l *literal, open *stringLiteral, b []byte) (n int, err error) {
	s := &d.block
	most := s.longest
	if s.exceeded {
		most = 0
	}
	if l.toTable {
		most = max(most, d.table.max)
	}
	if open.minLen() <= most {
		return 0, nil
	}
	s.exceed()
	s.drop = drop{active: true, toTable: l.toTable, value: open == &l.value}
	if s.drop.value && !l.name.isValid(b) {
		return 0, errHuffman
	}
	s.drop.begin(*open)
	_, err = s.drop.feed(b[open.start:])
	return len(b), err
}

// begin starts to drop a string.
func (p *drop) begin(t stringLiteral) { p.begun, p.left, p.huffman = true, t.n, t.huffman }

// feed drops the part of b that belongs to the string, and returns the rest.
func (p *drop) feed(b []byte) (rest []byte, err error) {
	n := min(p.left, len(b))
	if p.huffman && !p.checker.Write(b[:n]) {
		return b, errHuffman
	}
	p.left -= n
	if p.left == 0 && p.huffman && !p.checker.End() {
		return b, errHuffman
	}
	return b[n:], nil
}

// continueDrop drops the part of the literal that is in b, and returns the rest.
func (d *Decoder) continueDrop(b []byte) (rest []byte, err error) {
	p := &d.block.drop
	for {
		if !p.begun {
			var t stringLiteral
			if ok, err := t.find(b, 0); err != nil || !ok {
				return b, err
			}
			p.begin(t)
			b = b[t.start:]
		}
		if b, err = p.feed(b); err != nil || p.left > 0 {
			return b, err
		}
		if p.value {
			break
		}
		p.value, p.begun = true, false
	}
	p.active = false
	if p.toTable {
		d.table.evict(0)
	}
	return b, nil
}
