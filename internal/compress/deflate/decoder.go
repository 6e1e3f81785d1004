package deflate

import (
	"encoding/binary"
	"math"
	"sync"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// decoder decompresses one message. Decoders are large and therefore pooled.
type decoder struct {
	input
	out     []byte // from the pool; out[:at] is the message so far
	at      int
	limit   int
	history []byte // the end of the messages before this one
	reach   int    // maximum distance of a copy

	lit  [litSize]entry
	dist [distSize]entry
	code [codeSize]entry

	lengths [286 + 30]uint8
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// Decompress decompresses the message p. limit is the maximum length of the result, 0 for none. history is the end of
// the messages before it; copies may reach back 1<<bits bytes. The buffer grows with the message, and exceeds the limit
// only by the rounding of package bufpool. The error is ErrCorrupt or ErrTooBig.
func Decompress(p, past []byte, bits int, limit int64) ([]byte, error) {
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	d.input = input{p: p}
	d.history, d.reach, d.at = past, 1<<bits, 0
	d.limit = math.MaxInt
	if limit > 0 && limit < math.MaxInt {
		d.limit = int(limit)
	}
	d.out = bufpool.Get(4 * min(len(p), d.limit/4))
	d.useCapacity()
	err := d.blocks()
	out := d.out[:d.at]
	d.p, d.history, d.out = nil, nil, nil
	if err != nil {
		bufpool.Put(out)
		return nil, err
	}
	return out, nil
}

// blocks reads blocks up to the empty one whose last four bytes are not sent (RFC 7692 §7.2.1). A block marked as final
// does not end the message: another one follows at the next byte (§7.2.3.4). Some senders leave out the empty block that
// has to follow the last final one. Nothing is missing then, so the message is accepted, as other libraries do.
func (d *decoder) blocks() error {
	for {
		d.fill()
		final, kind := d.take(1) == 1, d.take(2)
		if d.n < 0 {
			return ErrCorrupt
		}
		var err error
		switch kind {
		case 0:
			if d.align(); d.pos == len(d.p) {
				return nil
			}
			err = d.stored()
		case 1:
			err = d.compressed(&fixedLit, &fixedDist)
		case 2:
			if err = d.codes(); err == nil {
				err = d.compressed(&d.lit, &d.dist)
			}
		default:
			err = ErrCorrupt
		}
		if err != nil {
			return err
		}
		if !final {
			continue
		}
		if d.align(); d.pos == len(d.p) {
			return nil
		}
	}
}

// stored reads an uncompressed block (RFC 1951 §3.2.4), from its length on.
func (d *decoder) stored() error {
	p := d.p[d.pos:]
	if len(p) < 4 {
		return ErrCorrupt
	}
	size := binary.LittleEndian.Uint16(p)
	if p = p[4:]; binary.LittleEndian.Uint16(d.p[d.pos+2:]) != ^size || len(p) < int(size) {
		return ErrCorrupt
	}
	if err := d.room(int(size)); err != nil {
		return err
	}
	d.at += copy(d.out[d.at:], p[:size])
	d.pos += 4 + int(size)
	return nil
}

// room makes sure that n more bytes fit into out.
func (d *decoder) room(n int) error {
	if n <= len(d.out)-d.at {
		return nil
	}
	if n > d.limit-d.at {
		return ErrTooBig
	}
	d.out = bufpool.Grow(d.out[:d.at], min(max(d.at+n, 2*d.at), d.limit))
	d.useCapacity()
	return nil
}

// useCapacity extends out to its capacity, up to the limit.
func (d *decoder) useCapacity() { d.out = d.out[:min(cap(d.out), d.limit)] }
