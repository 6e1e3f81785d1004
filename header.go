package shockwave

import (
	"iter"
	"math"
	"unsafe"
)

// Header is an ordered list of field lines (RFC 9110 §5), stored as spans of one flat buffer.
//
// Names are compared without regard to case and kept as they were given. A Header that a parser filled points into the
// parser's bytes, and the slices that its getters return are valid as long as those bytes are. A Header filled with Add
// and Set owns its bytes, and those slices are valid until the next change. The zero value is an empty list. A Header
// is not safe for concurrent use.
type Header struct {
	buf      []byte // the buffer that lines are spans of
	lines    []Line
	own      []byte // memory that h owns, kept for later use while buf is borrowed
	borrowed bool   // buf belongs to the caller of Borrow or Rebase and is never written to
}

// Span is a range of bytes in the buffer that Header.Bytes returns.
type Span struct{ Start, End uint32 }

// Line is the position of one field line's name and value in the buffer that Header.Bytes returns. The value does not
// include the optional white space around it.
type Line struct{ Name, Value Span }

// Reset empties h and keeps its memory. A borrowed buffer is dropped.
func (h *Header) Reset() {
	if h.borrowed {
		h.buf, h.own, h.borrowed = h.own, nil, false
	}
	h.buf = h.buf[:0]
	h.lines = h.lines[:0]
}

// Trim is Reset, but also frees memory of which there are more than most bytes. It is for a Header that is kept for
// later use.
func (h *Header) Trim(most int) {
	h.Reset()
	if cap(h.buf) > most {
		h.buf = nil
	}
	if cap(h.lines)*int(unsafe.Sizeof(Line{})) > most {
		h.lines = nil
	}
}

// Len returns the number of field lines.
func (h *Header) Len() int { return len(h.lines) }

// At returns the i-th line.
func (h *Header) At(i int) (name, value []byte) {
	l := &h.lines[i]
	return h.bytes(l.Name), h.bytes(l.Value)
}

// All returns an iterator over the lines, in their order. It yields slices of h's buffer, which are valid as long as those
// that At returns. h must not be changed while it is iterated over.
func (h *Header) All() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for i := range h.lines {
			if !yield(h.At(i)) {
				return
			}
		}
	}
}

// Line returns the position of the i-th line in Bytes.
func (h *Header) Line(i int) Line { return h.lines[i] }

// Bytes returns the buffer that the lines are spans of.
func (h *Header) Bytes() []byte { return h.buf }

// Get returns the value of the first line called name, nil if there is none. An empty value is not nil.
func (h *Header) Get(name string) []byte {
	v, _ := h.Next(name, 0)
	return v
}

// GetString returns Get as a string. It allocates at most once.
func (h *Header) GetString(name string) string { return string(h.Get(name)) }

// Has reports whether there is a line called name.
func (h *Header) Has(name string) bool { return h.find(name, 0) >= 0 }

// Next returns the value of the first line called name at index i or later, and the index to continue from. next is 0
// if there is no such line:
//
//	for v, i := h.Next("Accept", 0); i > 0; v, i = h.Next("Accept", i) { … }
func (h *Header) Next(name string, i int) (value []byte, next int) {
	if i = h.find(name, i); i < 0 {
		return nil, 0
	}
	return h.bytes(h.lines[i].Value), i + 1
}

// Borrow empties h and makes b the buffer that the lines of Append are spans of. b is not copied. A later Add, AddBytes
// or Set copies the lines first and never writes to b.
func (h *Header) Borrow(b []byte) {
	h.Rebase(b)
	h.lines = h.lines[:0]
}

// Rebase is Borrow, but keeps the lines. It is for a parser whose bytes were moved to b while it was collecting lines.
func (h *Header) Rebase(b []byte) {
	if !h.borrowed {
		h.own, h.borrowed = h.buf[:0], true
	}
	h.buf = b
}

// Append appends a line that is already in the buffer. It is for parsers.
func (h *Header) Append(l Line) { h.lines = append(h.lines, l) }

// bytes returns the bytes of s. Its capacity ends with it, so that appending to it does not overwrite what follows.
func (h *Header) bytes(s Span) []byte { return h.buf[s.Start:s.End:s.End] }

// find returns the index of the first line called name at i or later, or -1.
func (h *Header) find(name string, i int) int {
	for ; i < len(h.lines); i++ {
		s := h.lines[i].Name
		if int(s.End-s.Start) == len(name) && sameName(h.buf[s.Start:s.End], name) {
			return i
		}
	}
	return -1
}

// sameName compares names of equal length without regard to the case of ASCII letters (RFC 9110 §5.1).
func sameName(a []byte, b string) bool {
	for i, c := range a {
		if d := b[i]; c != d && (c|0x20 != d|0x20 || c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

// store appends name and value to the buffer, which must have room for them.
func store[T string | []byte](h *Header, name, value T) Line {
	start := uint32(len(h.buf))
	h.buf = append(append(h.buf, name...), value...)
	middle := start + uint32(len(name))
	return Line{Span{start, middle}, Span{middle, middle + uint32(len(value))}}
}

// reserve makes sure that h owns its buffer and that it has room for n more bytes.
func (h *Header) reserve(n int) {
	if h.borrowed || cap(h.buf)-len(h.buf) < n {
		h.move(n)
	}
}

// move copies the bytes of current lines to memory that h owns and that has room for n more bytes. It leaves out what
// lines no longer refer to, so that setting a value again and again does not make the buffer grow for ever.
func (h *Header) move(n int) {
	live := n
	for _, l := range h.lines {
		live += int(l.Name.End-l.Name.Start) + int(l.Value.End-l.Value.Start)
	}
	if live > math.MaxInt32 {
		panic("shockwave: more than 2 GiB of field lines")
	}
	old := *h
	h.buf, h.own, h.borrowed = h.own[:0], nil, false // own is nil unless the buffer is borrowed
	if cap(h.buf) < live {
		h.buf = make([]byte, 0, max(2*live, 256))
	}
	for i, l := range h.lines {
		h.lines[i] = store(h, old.bytes(l.Name), old.bytes(l.Value))
	}
}
