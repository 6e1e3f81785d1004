package hpack

import (
	"unsafe"

	"github.com/shockwave-go/shockwave/internal/huffman"
)

// Chunks begin small, since most connections say little, and double up to a size that a kept string may well pin.
// Strings that may be longer than ownBytes get memory of their own.
const (
	minChunk = 256
	maxChunk = 1024
	ownBytes = maxChunk / 4
)

// chunk is memory that strings are cut from, one behind the other. What has been cut is never written again.
type chunk struct {
	buf  []byte // what is used; the rest of its capacity is free
	size int    // of the last one
}

// text returns s as a string.
func (c *chunk) text(s []byte) string {
	if len(s) > ownBytes {
		return string(s)
	}
	if cap(c.buf)-len(c.buf) < len(s) {
		c.next()
	}
	return c.cut(append(c.buf, s...))
}

// copyOf returns s in memory of this chunk.
func (c *chunk) copyOf(s string) string { return c.text(bytesOf(s)) }

// huffman returns what the Huffman code in s stands for.
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

// next begins a new chunk.
func (c *chunk) next() {
	c.size = min(max(2*c.size, minChunk), maxChunk)
	c.buf = make([]byte, 0, c.size)
}

// cut takes what has been appended to the chunk as a string.
func (c *chunk) cut(longer []byte) string {
	s := longer[len(c.buf):]
	c.buf = longer
	return asString(s)
}

// asString returns b, which is never written again, as a string without copying it.
func asString(b []byte) string {
	if len(b) == 0 {
		return "" // and not a pointer into a chunk
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}
