package huffman

// width is how many bits a look-up takes. The common symbols have 5 to 7, so that mostly two of them come out at once.
const width = 12

// entry says what the next width bits hold: one symbol, two, or the beginning of a code that is longer (zero).
//
//	bits  0–7   the first symbol
//	bits  8–15  the second, if there are two
//	bits 16–20  how many bits all of them have
//	bits 21–22  how many they are
//	bits 24–28  how many bits the first has
type entry uint32

func (e entry) bits() uint      { return uint(e>>16) & 31 }
func (e entry) symbols() int    { return int(e>>21) & 3 }
func (e entry) firstBits() uint { return uint(e>>24) & 31 }

var table [1 << width]entry

func buildTable() {
	for i := range table {
		bits := uint64(i) << (64 - width)
		one, n := long(bits)
		if n > width {
			continue
		}
		e := entry(one) | entry(n)<<16 | 1<<21 | entry(n)<<24
		if two, m := long(bits << n); n+m <= width {
			e = entry(one) | entry(two)<<8 | entry(n+m)<<16 | 2<<21 | entry(n)<<24
		}
		table[i] = e
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
