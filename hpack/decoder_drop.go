package hpack

import "github.com/shockwave-go/shockwave/internal/huffman"

// drop is a literal that is known to be too long before all of it has arrived. Nothing of it is kept, but it is still
// looked whether it is valid.
type drop struct {
	active  bool
	toTable bool // it empties the table, which it does not fit into (RFC 7541 §4.4)
	value   bool // what is dropped now is the value, and not the name before it
	begun   bool // the length of what is dropped now is known
	left    int  // bytes
	huffman bool
	checker huffman.Checker
}

// wait decides what becomes of a literal of which open is not whole in b. It is waited for, unless open is longer than
// whatever could be given out or put into the table. Then n is all of b.
func (d *Decoder) wait(l *literal, open *text, b []byte) (n int, err error) {
	s := &d.block
	most := s.longest
	if s.over {
		most = 0
	}
	if l.toTable {
		most = max(most, d.table.max)
	}
	if open.least() <= most {
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

// begin begins with a string of which nothing has been fed.
func (p *drop) begin(t text) { p.begun, p.left, p.huffman = true, t.n, t.huffman }

// feed drops what of b belongs to the string, and returns the rest.
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

// goOnDropping drops the rest of the literal, as far as it is in b.
func (d *Decoder) goOnDropping(b []byte) (rest []byte, err error) {
	p := &d.block.drop
	for {
		if !p.begun {
			var t text
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
