package deflate

import (
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// Compressor compresses the messages of one direction of a connection in order. Without takeover it keeps nothing
// between messages and is safe for concurrent use.
//
// With takeover it keeps the end of the plain text, but no compressor: see docs/decisions/0004-own-inflater.md.
type Compressor struct {
	bits     uint8
	takeover bool
	history  []byte // from the pool: the end of the plain text so far, which the next message may refer to
}

// NewCompressor returns a Compressor whose messages reach back at most 1<<bits bytes; with takeover, also into earlier
// messages.
func NewCompressor(bits int, takeover bool) Compressor {
	return Compressor{bits: uint8(bits), takeover: takeover}
}

// Takeover reports whether messages may refer to earlier messages.
func (c *Compressor) Takeover() bool { return c.takeover }

// Bits returns the size of the window: messages reach back at most 1<<Bits bytes.
func (c *Compressor) Bits() int { return int(c.bits) }

// Message compresses the next message. With takeover the message must be sent, or the peer cannot decompress later ones.
func (c *Compressor) Message(p []byte) (out []byte, err error) {
	if !c.takeover {
		return Compress(p, int(c.bits))
	}
	keep := min(maxHistory, 1<<c.bits/2)
	if keep+len(p) <= 1<<c.bits {
		out, err = compressAfter(c.history[max(0, len(c.history)-max(minHistory, 4*len(p))):], p)
	} else {
		out, err = Compress(p, int(c.bits)) // too long for much of it to reach the history
	}
	if err == nil {
		c.history = remember(c.history, p, keep, keep)
	}
	return out, err
}

// compressAfter compresses p, which may refer to history. The library reads all of history each time. No copy reaches
// back beyond the beginning of history.
func compressAfter(past, p []byte) ([]byte, error) {
	o := outputs.Get().(*output)
	defer outputs.Put(o)
	o.begin(len(p))
	return o.end(flate.StatelessDeflate(o, p, false, past))
}

var outputs = sync.Pool{New: func() any { return new(output) }}

// Drop releases the memory kept between messages. The next message cannot refer to earlier ones. Without takeover it
// does nothing, so it may be called on a shared Compressor.
func (c *Compressor) Drop() {
	if c.history == nil {
		return
	}
	bufpool.Put(c.history)
	c.history = nil
}

// The compressor gets history of four times the length of the message, at least minHistory and at most maxHistory.
// Reading history takes time, and beyond maxHistory there is little that is not also found nearer.
const (
	minHistory = 2 << 10
	maxHistory = 4 << 10
)

// CompressorSize is the maximum that a Compressor with takeover keeps between messages, in bytes: the smallest buffer of
// the pool that holds maxHistory or half the window. The other half of the window is for the message.
func CompressorSize(bits int) int { return min(maxHistory, 1<<(bits&^1)) }

// remember appends p to history, a buffer from the pool. It keeps at least the last keep bytes of both together, and
// more while they fit into room bytes.
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
