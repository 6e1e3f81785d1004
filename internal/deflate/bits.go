package deflate

import "encoding/binary"

// input is a compressed message, read by bits. acc holds the next bits, the first one lowest; n is how many of them
// count. What lies above them is zero or what will come there anyway.
type input struct {
	p   []byte
	pos int // of the byte after those that n counts
	acc uint64
	n   int // negative when more was taken than there was; nothing is left to fill it with then
}

// fill sees to it that n is at least 56, or that all that is left of the message is in acc.
func (in *input) fill() {
	if in.pos+8 <= len(in.p) {
		in.acc |= binary.LittleEndian.Uint64(in.p[in.pos:]) << in.n
		in.pos += (63 - in.n) >> 3
		in.n |= 56
		return
	}
	for in.n < 56 && in.pos < len(in.p) {
		in.acc |= uint64(in.p[in.pos]) << in.n
		in.pos++
		in.n += 8
	}
}

// take returns the next size bits; beyond the end they are zero, and n is negative.
func (in *input) take(size int) int {
	v := int(in.acc & (1<<size - 1))
	in.acc >>= size
	in.n -= size
	return v
}

// align goes to the next whole byte.
func (in *input) align() {
	in.pos -= in.n >> 3
	in.acc, in.n = 0, 0
}
