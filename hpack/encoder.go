package hpack

import (
	"unsafe"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/huffman"
)

// Encoder writes header blocks (RFC 7541 §3). All blocks of one direction of a connection must come from one Encoder, and
// be sent in the order in which they were written.
//
// What comes again and again is put into the table, where repeating it takes one byte, two if the table is long. What
// differs each time (content-length, etag, :path, …) is not, and neither are secrets (authorization, short cookies,
// Sensitive fields), which are also marked so that nobody else does it (§7.1.3).
//
// Names are written in lower case, whatever they are given in. Whether names and values may stand in an HTTP message is
// not looked at. In a steady state nothing is allocated.
//
// The zero value is ready for use. Not safe for concurrent use.
type Encoder struct {
	// TableLimit bounds the table's size, however much the peer allows. Zero is 4,096; a negative number is no table. To
	// be set before first use.
	TableLimit int

	table encoderTable
	ready bool // whether table.max has been set

	resized  bool // the next block must begin with an update
	told     bool // a block has
	smallest int  // size since the last block (§4.2)

	scratch []byte // a name in lower case
}

// SetMaxTableSize says how large a table the peer allows: its SETTINGS_HEADER_TABLE_SIZE, which is 4,096 until it says
// something else. The next block will tell the peer what became of it. To be called between blocks.
func (e *Encoder) SetMaxTableSize(n int) {
	e.prepare()
	n = min(clampSize(n), e.limit())
	if n == e.table.max {
		return
	}
	if !e.resized {
		e.resized, e.smallest = true, n
	}
	e.smallest = min(e.smallest, n)
	e.table.resize(n)
}

// Resized reports whether the peer was told of another size of the table than the one that HTTP/2 begins with, or is to be.
func (e *Encoder) Resized() bool { return e.told || e.resized }

// TellSize has the next block tell the size of the table, whatever the peer knows of it: of an Encoder that goes on for one
// that was Resized. It tells of none in between, too, since the smallest of all sizes must be told (RFC 7541 §4.2). For one
// that was not Resized nothing need be told: fields that it has put into the peer's table leave it as others come, and are
// not referred to.
func (e *Encoder) TellSize() {
	e.prepare()
	e.resized, e.smallest = true, 0
}

// Reset makes e an Encoder for another connection, with what memory it has, if that is not much.
func (e *Encoder) Reset() { *e = Encoder{table: e.table.reset(), scratch: e.scratch[:0]} }

// AppendBlock appends fields to dst as a whole block, or as the rest of one, and returns the longer slice.
func (e *Encoder) AppendBlock(dst []byte, fields []Field) []byte {
	dst = e.begin(dst)
	for i := range fields {
		f := &fields[i]
		dst = e.append(dst, bytesOf(f.Name), bytesOf(f.Value), f.Sensitive)
	}
	return dst
}

// AppendField appends one field to dst and returns the longer slice. Fields that follow each other make a block.
func (e *Encoder) AppendField(dst []byte, f Field) []byte {
	return e.append(e.begin(dst), bytesOf(f.Name), bytesOf(f.Value), f.Sensitive)
}

// AppendLine is AppendField for bytes, of which nothing is kept.
func (e *Encoder) AppendLine(dst, name, value []byte, sensitive bool) []byte {
	return e.append(e.begin(dst), name, value, sensitive)
}

// AppendHeader appends all lines of h; none is left out.
func (e *Encoder) AppendHeader(dst []byte, h *shockwave.Header) []byte {
	dst = e.begin(dst)
	for i := range h.Len() {
		name, value := h.At(i)
		dst = e.append(dst, name, value, false)
	}
	return dst
}

// begin appends the updates that a block must begin with: if the size has been smaller in between than it is now, that
// is told, too (RFC 7541 §4.2). Within a block there are none.
//
// Between the two the table is emptied, as if the size had gone down to 0: golang.org/x/net, which many Go programs read
// with, refuses the second update of a block while there is anything in the table.
func (e *Encoder) begin(dst []byte) []byte {
	if !e.ready {
		e.prepare()
	}
	if !e.resized {
		return dst
	}
	e.resized, e.told = false, true
	if e.smallest < e.table.max {
		if e.table.size > 0 {
			e.table.evict(0)
			e.smallest = 0
		}
		dst = appendInt(dst, updateBit, updateMask, e.smallest)
	}
	return appendInt(dst, updateBit, updateMask, e.table.max)
}

// prepare gives the zero value its table. Where that is smaller than what HTTP/2 begins with, the peer is told.
func (e *Encoder) prepare() {
	if e.ready {
		return
	}
	e.ready = true
	e.table.max = DefaultTableSize
	if limit := e.limit(); limit < DefaultTableSize {
		e.table.max, e.resized, e.smallest = limit, true, limit
	}
}

func (e *Encoder) limit() int {
	if e.TableLimit == 0 {
		return DefaultTableSize
	}
	return clampSize(e.TableLimit)
}

// append appends one field.
func (e *Encoder) append(dst, name, value []byte, sensitive bool) []byte {
	name = lower(name, &e.scratch)
	nameHash := hash(0, name)
	static := findStatic(nameHash, name)
	if sensitive {
		return appendLiteral(dst, neverBit, otherMask, e.nameIndex(static, nameHash, name), name, value)
	}
	if static > 0 {
		if i := findStaticValue(static, value); i > 0 {
			return appendInt(dst, indexedBit, indexedMask, i)
		}
	}
	var kind, mask byte = 0, otherMask
	switch policyOf(static, name, value) {
	case never:
		kind = neverBit
	case toTable:
		if size := len(name) + len(value) + overhead; size <= e.table.max/4*3 {
			allHash := hash(nameHash, value)
			if i := e.table.findAll(allHash, name, value); i > 0 {
				return appendInt(dst, indexedBit, indexedMask, i)
			}
			dst = appendLiteral(dst, literalBit, literalMask, e.nameIndex(static, nameHash, name), name, value)
			e.table.insert(nameHash, allHash, name, value)
			return dst
		}
	}
	return appendLiteral(dst, kind, mask, e.nameIndex(static, nameHash, name), name, value)
}

// nameIndex returns the index of a name in either table, 0 if it is in none.
func (e *Encoder) nameIndex(static int, h uint64, name []byte) int {
	if static > 0 {
		return static
	}
	return e.table.findName(h, name)
}

// appendLiteral appends a field that is written out, except for a name that has an index (RFC 7541 §6.2).
func appendLiteral(dst []byte, kind, mask byte, index int, name, value []byte) []byte {
	dst = appendInt(dst, kind, mask, index)
	if index == 0 {
		dst = appendText(dst, name)
	}
	return appendText(dst, value)
}

// appendText appends a string literal in the shorter of its two forms (RFC 7541 §5.2).
func appendText(dst, s []byte) []byte {
	if n := huffman.Len(s); n < len(s) {
		return huffman.Append(appendInt(dst, 0x80, 0x7F, n), s)
	}
	return append(appendInt(dst, 0, 0x7F, len(s)), s...)
}

// bytesOf returns the bytes of s, which must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
