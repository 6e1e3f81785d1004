package deflate

import "github.com/shockwave-go/shockwave/internal/bufpool"

// Decompressor decompresses the messages of one direction of a connection, one after the other. It belongs to one
// goroutine at a time.
type Decompressor struct {
	bits     uint8
	takeover bool
	past     []byte // leased: the end of what was said, at least as much as a copy may reach; grows with what was said
}

// NewDecompressor returns one for messages that reach back at most 1<<bits bytes, with takeover also into the messages
// before.
func NewDecompressor(bits int, takeover bool) Decompressor {
	return Decompressor{bits: uint8(bits), takeover: takeover}
}

// Message is Decompress of the next message. After an error there is none.
func (d *Decompressor) Message(p []byte, limit int64) ([]byte, error) {
	out, err := Decompress(p, d.past, int(d.bits), limit)
	if err == nil && d.takeover {
		d.past = remember(d.past, out, 1<<d.bits, DecompressorSize(int(d.bits)))
	}
	return out, err
}

// Drop gives back what is remembered, after which nothing can be decompressed. Without takeover it does nothing, and a
// Decompressor may be shared.
func (d *Decompressor) Drop() {
	if d.past == nil {
		return
	}
	bufpool.Put(d.past)
	d.past = nil
}

// DecompressorSize is the most that a Decompressor with takeover keeps between messages, in bytes: the smallest lease
// that holds the window twice, so that it need not be moved with every message.
func DecompressorSize(bits int) int { return 1 << ((bits + 2) &^ 1) }
