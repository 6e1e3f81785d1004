package deflate

// The symbols of RFC 1951 §3.2.5 and §3.2.7 as entries, without the lengths of their codes.
var (
	litSymbols  [288]entry // the last two are invalid
	distSymbols [32]entry  // the last two are invalid
	codeSymbols [19]entry

	fixedLit  [litSize]entry
	fixedDist [distSize]entry
)

// codeOrder is the order in which the lengths of the code for code lengths are sent (RFC 1951 §3.2.7).
var codeOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

func init() {
	for i := range 256 {
		litSymbols[i] = literal | entry(i)<<16
	}
	litSymbols[256] = ends
	length := 3
	for i := range 28 {
		extra := max(0, i/4-1)
		litSymbols[257+i] = copies | entry(extra)<<4 | entry(length)<<16
		length += 1 << extra
	}
	litSymbols[285] = copies | 258<<16 // without extra bits, although symbol 284 covers this length too
	distance := 1
	for i := range 30 {
		extra := max(0, i/2-1)
		distSymbols[i] = copies | entry(extra)<<4 | entry(distance)<<16
		distance += 1 << extra
	}
	for i := range codeSymbols {
		codeSymbols[i] = literal | entry(i)<<16
	}
	fixedCodes()
}

// fixedCodes builds the fixed codes of RFC 1951 §3.2.6.
func fixedCodes() {
	var lengths [288]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	build(fixedLit[:], litBits, lengths[:], litSymbols[:])
	for i := range distSymbols {
		lengths[i] = 5
	}
	build(fixedDist[:], distBits, lengths[:32], distSymbols[:])
}
