package hpack

import (
	"unsafe"

	"github.com/shockwave-go/shockwave/internal/huffman"
)

// Chunks begin small, because most connections receive few strings, and double up to maxChunk, so that a string that is
// kept pins little memory. Strings longer than ownBytes get memory of their own.
const (
	minChunk = 256
	maxChunk = 1024
	ownBytes = maxChunk / 4
)

// chunk is memory from which strings are cut one after the other. Bytes that belong to a string are never written again.
type chunk struct {
	buf  []byte // the used part; the rest of its capacity is free
	size int    // size of the current chunk
}

// text returns a copy of s as a string.
func (c *chunk) text(s []byte) string {
	if len(s) > ownBytes {
		return string(s)
	}
	if cap(c.buf)-len(c.buf) < len(s) {
		c.next()
	}
	return c.cut(append(c.buf, s...))
}

// copyOf returns a copy of s in the memory of this chunk.
func (c *chunk) copyOf(s string) string { return c.text(bytesOf(s)) }

// huffman decodes the Huffman code in s.
func (c *chunk) huffman(s []byte) (string, bool) {
	most := huffman.MaxLen(len(s))
	if most > ownBytes {
		b, ok := huffman.Decode(make([]byte, 0, most), s)
		return asString(b), ok
	}
	if cap(c.buf)-len(c.buf) < most {
		c.next()
	}
	b, ok := huffman.Decode(c.buf, s)
	return c.cut(b), ok
}

// next starts a new chunk.
func (c *chunk) next() {
	c.size = min(max(2*c.size, minChunk), maxChunk)
	c.buf = make([]byte, 0, c.size)
}

// cut returns the bytes that were appended to the chunk as a string.
func (c *chunk) cut(longer []byte) string {
	s := longer[len(c.buf):]
	c.buf = longer
	return asString(s)
}

// asString returns b as a string without copying it. b must never be written again.
func asString(b []byte) string {
	if len(b) == 0 {
		return "" // not a pointer that would pin a chunk
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}
