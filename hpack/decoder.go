package hpack

import (
	"math"

	"github.com/shockwave-go/shockwave/internal/wire/fieldtext"
)

// The limits of a decoder whose fields are zero.
const (
	DefaultMaxListBytes = 64 << 10
	DefaultMaxFields    = 200
)

// Decoder decodes header blocks (RFC 7541 §3). All blocks of one direction of a connection must go through one Decoder,
// in the order in which they arrive, including those that are not wanted any more: each block may change the table that
// the next one needs.
//
// The limits bound the fields that a block is decoded to. They may be changed between blocks; zero means the default, a
// negative number no limit. A block that exceeds a limit is still read to its end, but the fields beyond the limit are
// dropped.
//
// The zero value is ready for use. A Decoder is not safe for concurrent use.
type Decoder struct {
	MaxListBytes int // of names and values, plus 32 for each field (RFC 9113 §10.5.1); default 64 KiB
	MaxFields    int // default 200
	MaxStringLen int // of one name or value; default MaxListBytes

	table   decoderTable
	allowed int  // largest size that the peer may set
	ready   bool // whether table.max and allowed have been set

	updateDue  bool // the next block must begin with an update
	updateMost int  // to this size or less

	texts fieldtext.Chunk // memory for strings that are only returned
	kept  fieldtext.Chunk // memory for strings that also go into the table, so that a long-lived entry pins no other strings

	block   blockState
	partial []byte // an incomplete field at the end of what was received
	err     error  // the error after which the decoder is unusable
}

// blockState is the state of the block that is being decoded.
type blockState struct {
	open     bool // Append was called, and End was not
	inFields bool // the block has had a field: table size updates are no longer allowed
	exceeded bool // a limit is exceeded: no more fields are returned

	listLeft, fieldsLeft int
	longest              int // longest string that is allowed

	drop drop
}

// NewDecoder returns a decoder whose table has maxTable bytes from the start, and may have no more. For HTTP/2, whose
// tables begin with 4,096 bytes whatever SETTINGS_HEADER_TABLE_SIZE says later, use the zero value.
func NewDecoder(maxTable int) *Decoder {
	d := &Decoder{ready: true}
	d.allowed = clampSize(maxTable)
	d.table.max = d.allowed
	return d
}

// SetAllowedTableSize sets the largest table size that the peer may choose from the next block on: the
// SETTINGS_HEADER_TABLE_SIZE that the peer has acknowledged or, if it is larger than before, that was sent to the peer.
// The table grows only when the peer says so. If it is larger than n, it shrinks at once, and the next block must begin
// with an update to n or less (RFC 7541 §4.2). It must be called between blocks.
func (d *Decoder) SetAllowedTableSize(n int) {
	d.prepare()
	d.allowed = clampSize(n)
	if d.table.max > d.allowed {
		d.updateDue, d.updateMost = true, d.allowed
		d.table.resize(d.allowed)
	}
}

// TableSize returns the size of the dynamic table in bytes, including 32 for each entry (RFC 7541 §4.1).
func (d *Decoder) TableSize() int { return d.table.size }

// Decode decodes the whole block b and returns its fields, which belong to the caller. See DecodeInto.
func (d *Decoder) Decode(b []byte) ([]Field, error) {
	return d.DecodeInto(b, make([]Field, 0, min(len(b), 16)))
}

// DecodeInto decodes the whole block b, appends its fields to fields and returns the extended slice. b is not kept.
//
// The error is an *Error. If its kind is TooLarge, the fields are those before the limit was exceeded, and the decoder is
// ready for the next block. If its kind is Compression, the decoder is unusable: all later calls return the same error.
func (d *Decoder) DecodeInto(b []byte, fields []Field) ([]Field, error) {
	fields, err := d.Append(b, fields)
	if d.err != nil {
		return fields, err
	}
	return fields, d.End()
}

// Append decodes the next fragment of a block, which may be cut at any byte, and appends the fields that end in it to
// fields. The first fragment after End begins a new block. An incomplete field at the end of b is kept, in no more memory
// than the limits and the table require.
//
// Errors are those of DecodeInto. Once a limit is exceeded, Append returns TooLarge for all fragments, but the whole
// block must still be passed to it.
func (d *Decoder) Append(b []byte, fields []Field) ([]Field, error) {
	if d.err != nil {
		return fields, d.err
	}
	if !d.block.open {
		d.begin()
	}
	in := b
	if len(d.partial) > 0 {
		d.partial = append(d.partial, b...)
		in = d.partial
	}
	rest, fields, err := d.parse(in, fields)
	if err != nil {
		d.err = err
		return fields, err
	}
	if len(rest) < len(in) || len(d.partial) == 0 {
		d.partial = append(d.partial[:0], rest...)
	}
	return fields, d.limitError()
}

// End ends a block. The error is of the kind TooLarge if a limit was exceeded, and of the kind Compression if the block
// ends inside a field.
func (d *Decoder) End() error {
	if d.err != nil {
		return d.err
	}
	if len(d.partial) > 0 || d.block.drop.active {
		d.err = errTruncated
		return d.err
	}
	d.block.open = false
	return d.limitError()
}

// Trim releases memory that is kept only for speed, on a connection that will be idle for a while. The table stays.
func (d *Decoder) Trim() {
	d.texts = fieldtext.Chunk{}
	if len(d.partial) == 0 {
		d.partial = nil
	}
}

// Reset prepares d for another connection. It keeps memory that is not large. The limits must be set again.
func (d *Decoder) Reset() {
	*d = Decoder{table: d.table.reset(), texts: d.texts, kept: d.kept, partial: d.partial[:0]}
	if cap(d.partial) > maxKeptPartial {
		d.partial = nil
	}
}

// begin starts a new block with its limits.
func (d *Decoder) begin() {
	d.prepare()
	d.block = blockState{open: true}
	d.block.listLeft = limitOr(d.MaxListBytes, DefaultMaxListBytes)
	d.block.fieldsLeft = limitOr(d.MaxFields, DefaultMaxFields)
	d.block.longest = min(limitOr(d.MaxStringLen, d.block.listLeft), d.block.listLeft)
	if cap(d.partial) > maxKeptPartial {
		d.partial = nil
	}
}

// maxKeptPartial is the largest buffer for incomplete fields that is kept from one block to the next.
const maxKeptPartial = 4 << 10

// prepare gives a zero Decoder the table that HTTP/2 begins with.
func (d *Decoder) prepare() {
	if !d.ready {
		d.ready = true
		d.allowed, d.table.max = DefaultTableSize, DefaultTableSize
	}
}

func (d *Decoder) limitError() error {
	if d.block.exceeded {
		return errTooLarge
	}
	return nil
}

// limitOr returns the meaning of a limit, which is zero for the default and negative for none.
func limitOr(limit, zero int) int {
	switch {
	case limit == 0:
		return zero
	case limit < 0:
		return math.MaxInt
	}
	return limit
}

// clampSize limits n to the integers that HPACK can express.
func clampSize(n int) int { return min(max(n, 0), maxValue) }
