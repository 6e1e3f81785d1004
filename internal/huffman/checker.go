package huffman

// Checker reads a string that comes in pieces and keeps nothing of it: for a string that is too long to be kept and must
// be valid all the same. The zero value is at the beginning of a string.
type Checker struct {
	acc uint64 // what was not enough for a symbol, from the top
	n   uint
}

// Write reads more of the string. It returns false as soon as that cannot be valid.
func (c *Checker) Write(src []byte) bool {
	for {
		for c.n <= 56 && len(src) > 0 {
			c.acc |= uint64(src[0]) << (56 - c.n)
			src = src[1:]
			c.n += 8
		}
		symbol, bits := uint16(0), table[c.acc>>(64-width)].bits()
		if bits > c.n || bits == 0 {
			if symbol, bits = long(c.acc); bits > c.n {
				return true
			}
		}
		if symbol == eos {
			return false
		}
		c.acc <<= bits
		c.n -= bits
	}
}

// End reports whether the string may end here, and begins the next one.
func (c *Checker) End() bool {
	ok := isPadding(c.acc, c.n)
	*c = Checker{}
	return ok
}

// Valid reports whether Decode would take src.
func Valid(src []byte) bool {
	var c Checker
	return c.Write(src) && c.End()
}
