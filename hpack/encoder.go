package hpack

import (
	"unsafe"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/wire/huffman"
)

// Encoder encodes header blocks (RFC 7541 §3). All blocks of one direction of a connection must come from one Encoder,
// and must be sent in the order in which they were encoded.
//
// Fields that are likely to be repeated are added to the table; repeating them takes one byte, or two if the table is
// long. Fields that differ each time (content-length, etag, :path, …) are not added. Neither are secrets (authorization,
// short cookies, Sensitive fields), which are also marked so that intermediaries do not add them (§7.1.3).
//
// Names are converted to lower case. The Encoder does not check whether names and values are valid in HTTP. In a steady
// state nothing is allocated.
//
// The zero value is ready for use. An Encoder is not safe for concurrent use.
type Encoder struct {
	// TableLimit bounds the table's size, even if the peer allows more. Zero means 4,096; a negative number means no
	// table. It must be set before first use.
	TableLimit int

	table encoderTable
	ready bool // whether table.max has been set

	resized  bool // the next block must begin with a size update
	smallest int  // smallest size since the last block (§4.2)

	scratch []byte // memory for a name in lower case
}

// SetMaxTableSize sets the table size that the peer allows: its SETTINGS_HEADER_TABLE_SIZE, which is 4,096 until the peer
// sends another value. The next block begins with an update if the size changes. It must be called between blocks.
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

// AppendTableSize begins a block with an update to the table's size, whatever size the peer knows. It is for an Encoder
// that takes the place of another one whose blocks may have changed the size. It also announces the size 0 before that,
// because the smallest size of all must be announced (RFC 7541 §4.2). In place of an Encoder that has never changed the
// size this is not needed: the entries that it put into the peer's table are evicted as others are added, and are not
// referred to.
func (e *Encoder) AppendTableSize(dst []byte) []byte {
	e.prepare()
	e.resized, e.smallest = true, 0
	return e.begin(dst)
}

// Reset prepares e for another connection. It keeps memory that is not large.
func (e *Encoder) Reset() { *e = Encoder{table: e.table.reset(), scratch: e.scratch[:0]} }

// AppendBlock appends fields to dst as a whole block, or as the rest of a block, and returns the extended slice.
func (e *Encoder) AppendBlock(dst []byte, fields []Field) []byte {
	dst = e.begin(dst)
	for i := range fields {
		f := &fields[i]
		dst = e.append(dst, bytesOf(f.Name), bytesOf(f.Value), f.Sensitive)
	}
	return dst
}

// AppendField appends one field to dst and returns the extended slice. Consecutive fields form a block.
func (e *Encoder) AppendField(dst []byte, f Field) []byte {
	return e.append(e.begin(dst), bytesOf(f.Name), bytesOf(f.Value), f.Sensitive)
}

// AppendLine is AppendField for byte slices, which are not kept.
func (e *Encoder) AppendLine(dst, name, value []byte, sensitive bool) []byte {
	return e.append(e.begin(dst), name, value, sensitive)
}

// AppendHeader appends all lines of h.
func (e *Encoder) AppendHeader(dst []byte, h *shockwave.Header) []byte {
	dst = e.begin(dst)
	for i := range h.Len() {
		name, value := h.At(i)
		dst = e.append(dst, name, value, false)
	}
	return dst
}

// begin appends the size updates that a block must begin with. If the table was smaller since the last block than it is
// now, that size is announced first (RFC 7541 §4.2). Within a block it appends nothing.
//
// Between two updates the table is emptied, as if its size had been 0: the decoder of golang.org/x/net, which many Go
// programs use, refuses the second update of a block while the table has entries.
func (e *Encoder) begin(dst []byte) []byte {
	if !e.ready {
		e.prepare()
	}
	if !e.resized {
		return dst
	}
	e.resized = false
	if e.smallest < e.table.max {
		if e.table.size > 0 {
			e.table.evict(0)
			e.smallest = 0
		}
		dst = appendInt(dst, updateBit, updateMask, e.smallest)
	}
	return appendInt(dst, updateBit, updateMask, e.table.max)
}

// prepare initializes the table of a zero Encoder. If that is smaller than the table that HTTP/2 begins with, the peer is
// sent an update.
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

// append encodes one field.
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

// nameIndex returns the index of a name in either table, 0 if it is in neither.
func (e *Encoder) nameIndex(static int, h uint64, name []byte) int {
	if static > 0 {
		return static
	}
	return e.table.findName(h, name)
}

// appendLiteral appends a literal field (RFC 7541 §6.2). Its name is a literal, too, if index is 0.
func appendLiteral(dst []byte, kind, mask byte, index int, name, value []byte) []byte {
	dst = appendInt(dst, kind, mask, index)
	if index == 0 {
		dst = appendText(dst, name)
	}
	return appendText(dst, value)
}

// appendText appends a string literal in the shorter of its two encodings (RFC 7541 §5.2).
func appendText(dst, s []byte) []byte {
	if n := huffman.Len(s); n < len(s) {
		return huffman.Append(appendInt(dst, 0x80, 0x7F, n), s)
	}
	return append(appendInt(dst, 0, 0x7F, len(s)), s...)
}

// bytesOf returns the bytes of s, which must not be modified.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
