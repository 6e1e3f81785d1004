package deflate

// codes reads the Huffman codes of a block (RFC 1951 §3.2.7).
func (d *decoder) codes() error {
	d.fill()
	lits, dists, codes := d.take(5)+257, d.take(5)+1, d.take(4)+4
	if lits > 286 || dists > 30 {
		return ErrCorrupt
	}
	var lengths [19]uint8
	for _, i := range codeOrder[:codes] {
		d.fill()
		lengths[i] = uint8(d.take(3))
	}
	if d.n < 0 || !build(d.code[:], codeBits, lengths[:], codeSymbols[:]) {
		return ErrCorrupt
	}
	all := d.lengths[:lits+dists]
	if !d.readLengths(all) || all[256] == 0 {
		return ErrCorrupt // without a code for symbol 256 the block cannot end
	}
	if !build(d.lit[:], litBits, all[:lits], litSymbols[:]) || !build(d.dist[:], distBits, all[lits:], distSymbols[:]) {
		return ErrCorrupt
	}
	return nil
}

// readLengths reads the code lengths of both codes, which form one list.
func (d *decoder) readLengths(all []uint8) bool {
	for i := 0; i < len(all); {
		d.fill()
		e := d.code[d.acc&(1<<codeBits-1)]
		d.take(e.size())
		var value uint8
		repeat := 1
		switch v := e.value(); {
		case e&literal == 0:
			return false
		case v < 16:
			value = uint8(v)
		case v == 16 && i == 0:
			return false // there is no length to repeat
		case v == 16:
			value, repeat = all[i-1], 3+d.take(2)
		case v == 17:
			repeat = 3 + d.take(3)
		default:
			repeat = 11 + d.take(7)
		}
		if d.n < 0 || repeat > len(all)-i {
			return false
		}
		for range repeat {
			all[i] = value
			i++
		}
	}
	return true
}
