package huffman

// Checker validates a string that arrives in pieces and is not kept: one that is too long to be kept but must be valid
// all the same. The zero value is at the beginning of a string.
type Checker struct {
	acc uint64 // bits that are not a whole symbol yet, starting at the highest bit
	n   uint
}

// Write checks the next piece of the string. It returns false as soon as the string cannot be valid.
func (c *Checker) Write(src []byte) bool {
	for {
		for c.n <= 56 && len(src) > 0 {
			c.acc |= uint64(src[0]) << (56 - c.n)
			src = src[1:]
			c.n += 8
		}
		symbol, bits := uint16(0), table[c.acc>>(64-width)].bits()
		if bits > c.n || bits == 0 {
			if symbol, bits = decodeOne(c.acc); bits > c.n {
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

// End reports whether the string may end here, and resets c for the next string.
func (c *Checker) End() bool {
	ok := isPadding(c.acc, c.n)
	*c = Checker{}
	return ok
}

// Valid reports whether Decode accepts src.
func Valid(src []byte) bool {
	var c Checker
	return c.Write(src) && c.End()
}
