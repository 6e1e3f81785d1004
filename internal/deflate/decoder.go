package deflate

import (
	"encoding/binary"
	"math"
	"sync"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// decoder decompresses one message. It is large, and used again.
type decoder struct {
	input
	out   []byte // leased: out[:at] is what the message says so far, the rest is room
	at    int
	limit int
	past  []byte // how the messages before it ended
	reach int    // how far back a copy may reach

	lit  [litSize]entry
	dist [distSize]entry
	code [codeSize]entry

	lengths [286 + 30]uint8
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// Decompress returns what the message p says, which may be limit bytes long; 0 is no limit. past is the end of what was
// said before it, and copies may reach back 1<<bits bytes. The lease grows with what p says, and not beyond the limit
// but for the rounding of package bufpool. The error is ErrCorrupt or ErrTooBig.
func Decompress(p, past []byte, bits int, limit int64) ([]byte, error) {
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	d.input = input{p: p}
	d.past, d.reach, d.at = past, 1<<bits, 0
	d.limit = math.MaxInt
	if limit > 0 && limit < math.MaxInt {
		d.limit = int(limit)
	}
	d.out = bufpool.Get(4 * min(len(p), d.limit/4))
	d.useCapacity()
	err := d.blocks()
	out := d.out[:d.at]
	d.p, d.past, d.out = nil, nil, nil
	if err != nil {
		bufpool.Put(out)
		return nil, err
	}
	return out, nil
}

// blocks reads blocks until the empty one whose end does not travel (RFC 7692 §7.2.1). A final block does not end the
// message: another one follows at the next byte (§7.2.3.4).
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
		if final {
			d.align()
		}
	}
}

// stored reads a block that is not compressed (RFC 1951 §3.2.4), from its length on.
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

// room sees to it that n more bytes fit.
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

// useCapacity makes all that was leased room, up to the limit.
func (d *decoder) useCapacity() { d.out = d.out[:min(cap(d.out), d.limit)] }
