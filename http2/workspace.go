package http2

import "github.com/shockwave-go/shockwave/hpack"

// Workspace is memory that a connection needs while something is received or sent, and that others can have while it is
// parked. It says nothing of the connections it has been with.
type Workspace workspace

// workspace is what of a Conn need not outlive its streams.
type workspace struct {
	frame   inFrame
	block   inBlock // the header block that is read
	decoder hpack.Decoder
	encoder hpack.Encoder
	ended   endings
	writing writing // the header section that is appended
	reads   bool    // the decoder is the connection's: there was a header block
	writes  bool    // the encoder is: we have sent one
}

// mostFields is for how many fields memory is kept.
const mostFields = 64

// reset makes w, whose block is reset, as good as new.
func (w *workspace) reset() {
	w.decoder.Reset()
	w.encoder.Reset()
	*w = workspace{decoder: w.decoder, encoder: w.encoder, block: w.block}
}

// reset forgets a block, and its memory if that is much.
func (b *inBlock) reset() {
	fields := b.fields
	clear(fields[:cap(fields)])
	if cap(fields) > mostFields {
		fields = nil
	}
	*b = inBlock{fields: fields[:0]}
}

// Parked reports whether the connection has no Workspace: it is new, or Park was called last.
func (c *Conn) Parked() bool { return c.workspace == nil }

// Use gives a connection that is Parked a Workspace, which nobody else may have. Without it the connection makes itself one
// when it needs one.
func (c *Conn) Use(w *Workspace) {
	if c.workspace == nil {
		c.workspace = (*workspace)(w)
	}
}

// unpark has the connection have a Workspace.
func (c *Conn) unpark() {
	if c.workspace == nil {
		c.workspace = new(workspace)
	}
}

// Park is Trim for a connection that will be idle for a while. It returns what others may Use, nil if there is nothing or
// something is under way. What tells streams from others that ended long ago is forgotten, and so are the fields that need
// not be written out again.
func (c *Conn) Park() *Workspace {
	c.Trim()
	w := c.workspace
	if w == nil || c.streams.n > 0 || w.frame.open || w.block.id != 0 || c.state&connWriting != 0 {
		return nil
	}
	if w.reads {
		p, ok := w.decoder.Pack()
		if !ok {
			return nil
		}
		c.packed = p
	}
	if w.writes && w.encoder.Resized() {
		c.state |= connResized
	}
	c.workspace = nil
	w.reset()
	return (*Workspace)(w)
}
