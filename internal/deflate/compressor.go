package deflate

import (
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// Compressor compresses the messages of one direction of a connection, one after the other. Without takeover it may be
// used concurrently and keeps nothing between messages.
//
// With takeover it keeps the end of what was said, and no compressor: see docs/decisions/0004-own-inflater.md.
type Compressor struct {
	bits     uint8
	takeover bool
	past     []byte // leased: the end of what was said, for the next message to refer to
}

// NewCompressor returns one whose messages reach back at most 1<<bits bytes, with takeover also into the messages
// before.
func NewCompressor(bits int, takeover bool) Compressor {
	return Compressor{bits: uint8(bits), takeover: takeover}
}

// Takeover reports whether a message goes on where the last one ended.
func (c *Compressor) Takeover() bool { return c.takeover }

// Bits returns how far messages may reach back: 1<<Bits bytes.
func (c *Compressor) Bits() int { return int(c.bits) }

// Message compresses the next message. With takeover it must be sent, or the peer cannot read those that follow.
func (c *Compressor) Message(p []byte) (out []byte, err error) {
	if !c.takeover {
		return Compress(p, int(c.bits))
	}
	keep := min(maxPast, 1<<c.bits/2)
	if keep+len(p) <= 1<<c.bits {
		out, err = compressAfter(c.past[max(0, len(c.past)-max(minPast, 4*len(p))):], p)
	} else {
		out, err = Compress(p, int(c.bits)) // most of it cannot reach the past
	}
	if err == nil {
		c.past = remember(c.past, p, keep, keep)
	}
	return out, err
}

// compressAfter compresses p, which may refer to the past. The library goes through the past each time, and no copy
// reaches back further than to its beginning.
func compressAfter(past, p []byte) ([]byte, error) {
	o := outputs.Get().(*output)
	defer outputs.Put(o)
	o.begin(len(p))
	return o.end(flate.StatelessDeflate(o, p, false, past))
}

var outputs = sync.Pool{New: func() any { return new(output) }}

// Drop gives back what is kept between messages. The next one would stand for itself. Without takeover it does nothing, and
// a Compressor may be shared.
func (c *Compressor) Drop() {
	if c.past == nil {
		return
	}
	bufpool.Put(c.past)
	c.past = nil
}

// A message is shown four times its length of the past, at least minPast and at most maxPast. To go through the past
// takes time, and beyond maxPast there is little to be found that is not nearer.
const (
	minPast = 2 << 10
	maxPast = 4 << 10
)

// CompressorSize is the most that a Compressor with takeover keeps between messages, in bytes: the smallest lease that
// holds maxPast or half the window, whose other half is for the message.
func CompressorSize(bits int) int { return min(maxPast, 1<<(bits&^1)) }

// remember appends p to past, which is leased: of both together the last keep bytes stay, and more as long as room holds
// them.
func remember(past, p []byte, keep, room int) []byte {
	p = p[max(0, len(p)-keep):]
	if len(past)+len(p) > room {
		past = past[:copy(past, past[len(past)+len(p)-keep:])]
	}
	at := len(past)
	past = bufpool.Grow(past, at+len(p))
	copy(past[at:], p)
	return past
}
