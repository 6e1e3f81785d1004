package http2

import "github.com/shockwave-go/shockwave/hpack"

// Workspace is memory that a connection needs while it receives or sends, and that other connections can use while it is
// parked. It holds nothing of the connections that used it before.
type Workspace workspace

// workspace holds the parts of a Conn that are not needed while it is parked.
type workspace struct {
	frame       inFrame
	block       inBlock // the header block that is being received
	decoder     hpack.Decoder
	encoder     hpack.Encoder
	ended       endings
	writing     writing // the header section that is being appended
	decoderOpen bool    // the decoder was initialized for this connection: it has received a header block
	encoderOpen bool    // the encoder was initialized for this connection: it has sent a header section
}

// maxKeptFields is the largest capacity of a field slice that is kept.
const maxKeptFields = 64

// reset prepares w for another connection. Its block must have been reset.
func (w *workspace) reset() {
	w.decoder.Reset()
	w.encoder.Reset()
	*w = workspace{decoder: w.decoder, encoder: w.encoder, block: w.block}
}

// reset clears a block and keeps its memory, unless that is large.
func (b *inBlock) reset() {
	fields := b.fields
	clear(fields[:cap(fields)])
	if cap(fields) > maxKeptFields {
		fields = nil
	}
	*b = inBlock{fields: fields[:0]}
}

// Parked reports whether the connection has no Workspace: it is new, or was parked.
func (c *Conn) Parked() bool { return c.workspace == nil }

// Use gives a parked connection a Workspace, which no other connection may use. A connection that is not given one
// allocates one when it needs it.
func (c *Conn) Use(w *Workspace) {
	if c.workspace == nil {
		c.workspace = (*workspace)(w)
	}
}

// ensureWorkspace allocates a Workspace if the connection has none.
func (c *Conn) ensureWorkspace() {
	if c.workspace == nil {
		c.workspace = new(workspace)
	}
}

// Park is Trim for a connection that will be idle for a while. It returns the connection's Workspace, for other
// connections to use; nil if there is none, or if something is in progress. How earlier streams ended is forgotten, and
// so is the encoder's table: fields that were in it will be sent in full again.
func (c *Conn) Park() *Workspace {
	c.Trim()
	w := c.workspace
	if w == nil || c.streams.n > 0 || w.frame.open || w.block.id != 0 || c.state&connWriting != 0 {
		return nil
	}
	if w.decoderOpen {
		p, ok := w.decoder.Pack()
		if !ok {
			return nil
		}
		c.packed = p
	}
	if w.encoderOpen && w.encoder.Resized() {
		c.state |= connResized
	}
	c.workspace = nil
	w.reset()
	return (*Workspace)(w)
}
