package deflate

import "math/bits"

// entry tells what the next bits of the input mean:
//
//	bits 0–3    the length of the code in bits, at most 15
//	bits 4–7    the number of extra bits after it; of a link, how many bits index the second table
//	bits 8–11   the kind: literal, copies, ends or links; an entry without a kind is an invalid code
//	bits 16–31  a byte, the least length or distance, a code length, or where the second table begins
type entry uint32

const (
	literal entry = 1 << (8 + iota) // a byte of the message, or any plain number
	copies                          // a length or a distance
	ends                            // the end of the block
	links                           // the code is longer than the index of the first table
)

func (e entry) size() int    { return int(e & 15) }
func (e entry) extra() int   { return int(e >> 4 & 15) }
func (e entry) value() int   { return int(e >> 16) }
func (e entry) linked() bool { return e&links != 0 }

// The first tables have an entry for each value of that many bits; the second tables follow them. The sizes are the
// maximum for complete codes of 15 bits: see enough.c of zlib.
const (
	litBits, litSize   = 9, 852 // for 286 symbols
	distBits, distSize = 6, 592 // for 30 symbols
	codeBits, codeSize = 7, 128 // for 19 symbols of at most 7 bits
	longest            = 15
)

// build fills table for the canonical code with these lengths in bits, where 0 marks unused symbols (RFC 1951 §3.2.2).
// It returns false if the lengths form no complete code: there are too many short codes, or not all bit patterns are
// used. Like other decoders it also accepts a code without symbols, and a code of one symbol with one bit (RFC 1951
// §3.2.7).
func build(table []entry, root int, lengths []uint8, symbols []entry) bool {
	next, ok := firstCodes(lengths)
	if !ok {
		return false
	}
	clear(table[:1<<root])
	sizeSecondTables(table, root, lengths, next)
	free := 1 << root
	for i, l := range lengths {
		if l == 0 {
			continue
		}
		size := int(l)
		code := int(bits.Reverse16(next[l]) >> (16 - l))
		next[l]++
		e := symbols[i] | entry(l)
		if size <= root {
			for ; code < 1<<root; code += 1 << size {
				table[code] = e
			}
			continue
		}
		link := &table[code&(1<<root-1)]
		if link.value() == 0 {
			*link |= entry(free) << 16
			free += 1 << link.extra()
		}
		second := table[link.value() : link.value()+1<<link.extra()]
		for code >>= root; code < len(second); code += 1 << (size - root) {
			second[code] = e
		}
	}
	return true
}

// firstCodes returns the first code of each length.
func firstCodes(lengths []uint8) (next [longest + 1]uint16, ok bool) {
	var count [longest + 1]int
	for _, l := range lengths {
		count[l]++
	}
	count[0] = 0
	code, used := 0, 0
	for l := 1; l <= longest; l++ {
		code <<= 1
		next[l] = uint16(code)
		code += count[l]
		used += count[l] << (longest - l)
	}
	one := used == 1<<(longest-1) && count[1] == 1
	return next, used == 1<<longest || used == 0 || one
}

// sizeSecondTables makes the links to second tables, without their positions. A second table has as many index bits as
// its longest code has bits beyond root.
func sizeSecondTables(table []entry, root int, lengths []uint8, next [longest + 1]uint16) {
	for _, l := range lengths {
		if int(l) <= root {
			continue
		}
		link := &table[int(bits.Reverse16(next[l])>>(16-l))&(1<<root-1)]
		next[l]++
		*link = max(*link, links|entry(int(l)-root)<<4)
	}
}
