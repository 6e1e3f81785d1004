package deflate

// Compressor compresses the messages of one direction of a connection, one after the other. Without takeover it may be
// used concurrently and keeps nothing between messages.
type Compressor struct {
	bits     uint8
	takeover bool
	own      *writer // with takeover, from the first message on
	dropped  bool
}

// NewCompressor returns one whose messages reach back at most 1<<bits bytes, with takeover also into the messages
// before.
func NewCompressor(bits int, takeover bool) Compressor {
	return Compressor{bits: uint8(bits), takeover: takeover}
}

// Takeover tells whether a message goes on where the last one ended.
func (c *Compressor) Takeover() bool { return c.takeover }

// Bits returns how far messages may reach back: 1<<Bits bytes.
func (c *Compressor) Bits() int { return int(c.bits) }

// Message compresses the next message. With takeover it must be sent, or the peer cannot read those that follow.
func (c *Compressor) Message(p []byte) (_ []byte, err error) {
	if !c.takeover || c.dropped {
		return Compress(p, int(c.bits))
	}
	if c.own == nil {
		if c.own, err = writerFor(int(c.bits)); err != nil {
			return nil, err
		}
	}
	return c.own.message(p)
}

// Drop gives back what is kept between messages. Those that are compressed afterwards stand for themselves.
func (c *Compressor) Drop() {
	c.dropped = true
	if c.own != nil {
		writers[c.bits].Put(c.own)
		c.own = nil
	}
}

// CompressorSize is about what a Compressor with takeover keeps between messages, in bytes.
const CompressorSize = 1 << 20
