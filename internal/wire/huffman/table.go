package huffman

// width is how many bits a look-up uses. Common symbols have 5 to 7 bits, so one look-up yields two of them. With 12
// bits, and a table of 16 KiB instead of 64, decoding takes a quarter longer.
const width = 14

// entry describes what the next width bits contain: one symbol, two symbols, or the beginning of a longer code (zero).
//
//	bits  0–5   number of bits of the symbols' codes
//	bits  8–12  number of bits of the symbols as bytes: 8 or 16
//	bits 13–15  zero
//	bits 16–23  the first symbol
//	bits 24–31  the second symbol, if there are two
type entry uint32

func (e entry) bits() uint     { return uint(e & 63) }
func (e entry) text() uint64   { return uint64(e >> 16) }
func (e entry) textBits() uint { return uint(e>>8) & 31 }

var table [1 << width]entry

func buildTable() {
	for i := range table {
		bits := uint64(i) << (64 - width)
		one, n := decodeOne(bits)
		if n > width {
			continue
		}
		table[i] = entry(n) | 8<<8 | entry(one)<<16
		if two, m := decodeOne(bits << n); n+m <= width {
			table[i] = entry(n+m) | 16<<8 | entry(one)<<16 | entry(two)<<24
		}
	}
}

// decodeOne returns the first symbol in the highest bits of acc, and how many bits its code has. It tries one code length
// after the other.
func decodeOne(acc uint64) (symbol uint16, bits uint) {
	top := acc >> 32
	for bits = minBits; top >= limit[bits] && bits < maxBits; bits++ {
	}
	return order[base[bits]+uint16(uint32(top>>(32-bits))-first[bits])], bits
}
