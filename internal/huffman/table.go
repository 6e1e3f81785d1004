package huffman

// width is how many bits a look-up takes. The common symbols have 5 to 7, so that two of them come out at once. With 12
// bits, and a table of 16 KiB instead of 64, decoding takes a quarter longer.
const width = 14

// entry says what the next width bits hold: one symbol, two, or the beginning of a code that is longer (zero).
//
//	bits  0–5   how many bits all of them have
//	bits  8–12  how many bits they are as bytes: 8 or 16
//	bits 13–15  zero
//	bits 16–23  the first symbol
//	bits 24–31  the second, if there are two
type entry uint32

func (e entry) bits() uint     { return uint(e & 63) }
func (e entry) text() uint64   { return uint64(e >> 16) }
func (e entry) textBits() uint { return uint(e>>8) & 31 }

var table [1 << width]entry

func buildTable() {
	for i := range table {
		bits := uint64(i) << (64 - width)
		one, n := long(bits)
		if n > width {
			continue
		}
		table[i] = entry(n) | 8<<8 | entry(one)<<16
		if two, m := long(bits << n); n+m <= width {
			table[i] = entry(n+m) | 16<<8 | entry(one)<<16 | entry(two)<<24
		}
	}
}

// long returns the first symbol of what stands at the top of acc, by trying one length of code after the other, and how
// many bits it has.
func long(acc uint64) (symbol uint16, bits uint) {
	top := acc >> 32
	for bits = minBits; top >= limit[bits] && bits < maxBits; bits++ {
	}
	return order[base[bits]+uint16(uint32(top>>(32-bits))-first[bits])], bits
}
