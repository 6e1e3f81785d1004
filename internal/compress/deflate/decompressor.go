package deflate

import "github.com/shockwave-go/shockwave/internal/core/bufpool"

// Decompressor decompresses the messages of one direction of a connection in order. With takeover it must not be used
// concurrently.
type Decompressor struct {
	bits     uint8
	takeover bool
	history  []byte // from the pool: at least the part of the plain text that a copy may reach; grows as messages come
}

// NewDecompressor returns a Decompressor for messages that reach back at most 1<<bits bytes; with takeover, also into
// earlier messages.
func NewDecompressor(bits int, takeover bool) Decompressor {
	return Decompressor{bits: uint8(bits), takeover: takeover}
}

// Message decompresses the next message; see Decompress. After an error it must not be called again.
func (d *Decompressor) Message(p []byte, limit int64) ([]byte, error) {
	out, err := Decompress(p, d.history, int(d.bits), limit)
	if err == nil && d.takeover {
		d.history = remember(d.history, out, 1<<d.bits, DecompressorSize(int(d.bits)))
	}
	return out, err
}

// Drop releases the memory kept between messages. With takeover, no message can be decompressed afterwards. Without
// takeover it does nothing, so it may be called on a shared Decompressor.
func (d *Decompressor) Drop() {
	if d.history == nil {
		return
	}
	bufpool.Put(d.history)
	d.history = nil
}

// DecompressorSize is the maximum that a Decompressor with takeover keeps between messages, in bytes: the smallest
// buffer of the pool that holds twice the window, so that the history need not be moved for every message.
func DecompressorSize(bits int) int { return 1 << ((bits + 2) &^ 1) }
