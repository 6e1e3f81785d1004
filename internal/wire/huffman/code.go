package huffman

// eos is the end-of-string symbol. Only its first bits are ever sent, as padding (RFC 7541 §5.2).
const eos = 256

// The lengths of the shortest and the longest code in bits.
const (
	minBits = 5
	maxBits = 30
)

// lengths holds the number of bits of each symbol's code (RFC 7541 Appendix B). The code is canonical: ordered by length
// and then by symbol, each code is the previous one plus one. So the lengths determine the codes.
var lengths = [257]uint8{
	13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
	28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
	6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
	5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
	13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
	7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
	15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
	6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
	20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
	24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
	22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
	21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
	26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
	19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
	20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
	26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
	maxBits,
}

// The code, computed from lengths.
var (
	codes   [257]uint32 // right-aligned
	encoded [256]uint64 // the same with the length, as Append needs it: code<<8 | bits

	// order holds the symbols in the order of their codes. Those of n bits begin at base[n], with the code first[n].
	// Every code of n bits or fewer, shifted to the top of 32 bits, is below limit[n].
	order [257]uint16
	base  [maxBits + 1]uint16
	first [maxBits + 1]uint32
	limit [maxBits + 1]uint64
)

func init() {
	buildCode()
	buildTable()
}

func buildCode() {
	code, n := uint32(0), uint16(0)
	for bits := uint8(minBits); bits <= maxBits; bits++ {
		code <<= 1
		base[bits], first[bits] = n, code
		for symbol, l := range lengths {
			if l == bits {
				codes[symbol] = code
				if symbol != eos {
					encoded[symbol] = uint64(code)<<8 | uint64(bits)
				}
				order[n] = uint16(symbol)
				n++
				code++
			}
		}
		limit[bits] = uint64(code) << (32 - bits)
	}
}
