package deflate

import "encoding/binary"

// input reads a compressed message bit by bit. The low n bits of acc are the next bits, the first one lowest. The bits
// above them are zero or already the ones that will be there after the next fill.
type input struct {
	p   []byte
	pos int // index of the byte after the n bits
	acc uint64
	n   int // negative if more bits were taken than the message has; fill adds none then
}

// fill makes sure that n is at least 56, or that all remaining bits of the message are in acc.
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

// take returns the next size bits. Beyond the end of the message the bits are zero, and n becomes negative.
func (in *input) take(size int) int {
	v := int(in.acc & (1<<size - 1))
	in.acc >>= size
	in.n -= size
	return v
}

// align skips to the next byte boundary.
func (in *input) align() {
	in.pos -= in.n >> 3
	in.acc, in.n = 0, 0
}
