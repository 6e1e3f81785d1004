package hpack

import "math"

// Limits of a decoder whose fields are zero.
const (
	DefaultMaxListBytes = 64 << 10
	DefaultMaxFields    = 200
)

// Decoder reads header blocks (RFC 7541 §3). All blocks of one direction of a connection must go through one Decoder, in
// the order in which they came, also those that nobody wants any more: each may change the table that the next one needs.
//
// The limits bound what one block may make of its bytes. They may be changed between blocks; zero is the default, a
// negative number is no limit. Beyond them a block is still read to its end, and what does not fit is dropped.
//
// The zero value is ready for use. Not safe for concurrent use.
type Decoder struct {
	MaxListBytes int // of names and values, and 32 for each field (RFC 9113 §10.5.1); 64 KiB
	MaxFields    int // 200
	MaxStringLen int // of one name or value; MaxListBytes

	table   decoderTable
	allowed int  // what the table may grow to
	ready   bool // whether table.max and allowed have been set

	updateDue  bool // the next block must begin with an update
	updateMost int  // … to this or less

	texts chunk // what strings are cut from that are only given out
	kept  chunk // what those are cut from that also go into the table, so that a long-lived entry pins no others

	block blockState
	save  []byte // of the block, what is not a whole field yet
	err   error  // the error that ended it all
}

// blockState is what a Decoder knows of the block that it reads.
type blockState struct {
	open     bool // Append has been called, End has not
	inFields bool // a field has come, so that no table size update may
	over     bool // a limit is exceeded: nothing is given out any more

	listLeft, fieldsLeft int
	longest              int // string

	drop drop
}

// NewDecoder returns a decoder whose table may have maxTable bytes, and has from the start. For HTTP/2, whose tables begin
// with 4,096 bytes whatever SETTINGS_HEADER_TABLE_SIZE will say, the zero value is right.
func NewDecoder(maxTable int) *Decoder {
	d := &Decoder{ready: true}
	d.allowed = clampSize(maxTable)
	d.table.max = d.allowed
	return d
}

// SetAllowedTableSize says what the table may grow to from the next block on: the SETTINGS_HEADER_TABLE_SIZE that the
// peer has acknowledged, or, if it is larger than before, that it has been sent. The table grows only when the peer says
// so. If its size is larger than n, it shrinks at once, and the next block must begin with an update to n or less
// (RFC 7541 §4.2). To be called between blocks.
func (d *Decoder) SetAllowedTableSize(n int) {
	d.prepare()
	d.allowed = clampSize(n)
	if d.table.max > d.allowed {
		d.updateDue, d.updateMost = true, d.allowed
		d.table.resize(d.allowed)
	}
}

// TableSize returns the bytes of the dynamic table, with 32 for each entry (RFC 7541 §4.1).
func (d *Decoder) TableSize() int { return d.table.size }

// Decode reads the whole block b and returns its fields, which are the caller's. See DecodeInto.
func (d *Decoder) Decode(b []byte) ([]Field, error) {
	return d.DecodeInto(b, make([]Field, 0, min(len(b), 16)))
}

// DecodeInto reads the whole block b, appends its fields to fields and returns the longer slice. Nothing of b is kept.
//
// The error is an *Error. If it is of the kind TooLarge, the fields are those that came before the limit was reached, and
// the decoder is ready for the next block. After one of the kind Compression it is of no more use: every later call
// returns the same error.
func (d *Decoder) DecodeInto(b []byte, fields []Field) ([]Field, error) {
	fields, err := d.Append(b, fields)
	if d.err != nil {
		return fields, err
	}
	return fields, d.End()
}

// Append reads the next fragment of a block, which may be cut at any byte, and appends the fields that end in it to
// fields. The first fragment after End begins a new block. What of b is not a whole field yet is kept: as many bytes as
// have arrived, and no more than the limits and the table make necessary.
//
// Errors are those of DecodeInto. TooLarge is returned from the fragment on in which a limit is exceeded, but all of the
// block must be fed.
func (d *Decoder) Append(b []byte, fields []Field) ([]Field, error) {
	if d.err != nil {
		return fields, d.err
	}
	if !d.block.open {
		d.begin()
	}
	in := b
	if len(d.save) > 0 {
		d.save = append(d.save, b...)
		in = d.save
	}
	rest, fields, err := d.parse(in, fields)
	if err != nil {
		d.err = err
		return fields, err
	}
	if len(rest) < len(in) || len(d.save) == 0 {
		d.save = append(d.save[:0], rest...)
	}
	return fields, d.limitError()
}

// End ends a block. The error is TooLarge if a limit was exceeded, and of the kind Compression if the block ends inside a
// field.
func (d *Decoder) End() error {
	if d.err != nil {
		return d.err
	}
	if len(d.save) > 0 || d.block.drop.active {
		d.err = errTruncated
		return d.err
	}
	d.block.open = false
	return d.limitError()
}

// Trim lets memory go that is only kept for speed: for a connection that will be idle for a while. The table stays.
func (d *Decoder) Trim() {
	d.texts = chunk{}
	if len(d.save) == 0 {
		d.save = nil
	}
}

// Reset makes d a Decoder for another connection, with what memory it has, if that is not much. Its limits are to be set
// again.
func (d *Decoder) Reset() {
	*d = Decoder{table: d.table.reset(), texts: d.texts, kept: d.kept, save: d.save[:0]}
	if cap(d.save) > maxSpare {
		d.save = nil
	}
}

// begin gives a new block its budgets.
func (d *Decoder) begin() {
	d.prepare()
	d.block = blockState{open: true}
	d.block.listLeft = limitOr(d.MaxListBytes, DefaultMaxListBytes)
	d.block.fieldsLeft = limitOr(d.MaxFields, DefaultMaxFields)
	d.block.longest = min(limitOr(d.MaxStringLen, d.block.listLeft), d.block.listLeft)
	if cap(d.save) > maxSpare {
		d.save = nil
	}
}

// maxSpare is how much memory for halves of fields is kept from one block to the next.
const maxSpare = 4 << 10

// prepare gives the zero value the table that HTTP/2 begins with.
func (d *Decoder) prepare() {
	if !d.ready {
		d.ready = true
		d.allowed, d.table.max = DefaultTableSize, DefaultTableSize
	}
}

func (d *Decoder) limitError() error {
	if d.block.over {
		return errTooLarge
	}
	return nil
}

// limitOr returns what a limit means.
func limitOr(limit, zero int) int {
	switch {
	case limit == 0:
		return zero
	case limit < 0:
		return math.MaxInt
	}
	return limit
}

// clampSize returns n as a size that an integer of HPACK may say.
func clampSize(n int) int { return min(max(n, 0), maxValue) }
