// Package fieldtext has memory for the many short strings that field sections are decoded to.
package fieldtext

import (
	"unsafe"

	"github.com/shockwave-go/shockwave/internal/wire/huffman"
)

// Chunks begin small, because most connections receive few strings, and double up to maxChunk, so that a string that is
// kept pins little memory. Strings longer than ownBytes get memory of their own.
const (
	minChunk = 256
	maxChunk = 1024
	ownBytes = maxChunk / 4
)

// Chunk is memory from which strings are cut one after the other. Bytes that belong to a string are never written again. The
// zero value is ready for use. A Chunk is not safe for concurrent use.
type Chunk struct {
	buf  []byte // the used part; the rest of its capacity is free
	size int    // size of the current chunk
}

// Empty reports whether c holds no memory.
func (c *Chunk) Empty() bool { return c.buf == nil }

// Text returns a copy of s as a string.
func (c *Chunk) Text(s []byte) string {
	if len(s) > ownBytes {
		return string(s)
	}
	if cap(c.buf)-len(c.buf) < len(s) {
		c.next()
	}
	return c.cut(append(c.buf, s...))
}

// CopyOf returns a copy of s in the memory of this chunk.
func (c *Chunk) CopyOf(s string) string { return c.Text(unsafe.Slice(unsafe.StringData(s), len(s))) }

// Huffman decodes the Huffman code in s. If that is malformed, it returns false and takes no memory.
func (c *Chunk) Huffman(s []byte) (string, bool) {
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
func (c *Chunk) next() {
	c.size = min(max(2*c.size, minChunk), maxChunk)
	c.buf = make([]byte, 0, c.size)
}

// cut returns the bytes that were appended to the chunk as a string.
func (c *Chunk) cut(longer []byte) string {
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
