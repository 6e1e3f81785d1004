package http2

import "github.com/shockwave-go/shockwave/hpack"

// receiver turns received bytes into events. It is a part of the workspace: between two messages nothing of it is needed
// but the decoder's table.
type receiver struct {
	*core
	frame   inFrame
	block   inBlock // the header block that is being received
	decoder hpack.Decoder
	decodes bool  // the decoder was initialized for this connection: it has received a header block
	headDue int64 // when the frame or header block that is being received must be complete; 0 is never
}

// inFrame is the frame whose payload is being received.
type inFrame struct {
	open  bool
	typ   FrameType
	flags Flags
	pad   uint8 // bytes of padding after left
	left  uint32
	id    uint32
	short bool // of DATA: the message ends with it, but is shorter than its content-length
}

// inBlock is the header block that is being received, in a HEADERS frame and the CONTINUATION frames that follow it.
type inBlock struct {
	id             uint32 // its stream; 0 if no block is being received
	purpose        purpose
	end            bool // the HEADERS frame had END_STREAM
	tooLarge       bool
	size           uint32 // bytes of the block received so far
	fields         []Field
	head           Head
	knownAuthority string // see facts
}

// purpose is what a header block is for.
type purpose uint8

const (
	blockIgnored  purpose = iota // decoded only to keep the decoder's table in step
	blockRequest                 // opens a stream
	blockResponse                // an informational or a final response
	blockTrailers
)

// busy reports whether a frame or a header block is incomplete.
func (r *receiver) busy() bool { return r.frame.open || r.block.id != 0 }

// maxKeptFields is the largest capacity of a field slice that is kept.
const maxKeptFields = 64

// reset clears a block and keeps its memory, unless that is large.
func (b *inBlock) reset() {
	fields := b.fields
	clear(fields[:cap(fields)])
	if cap(fields) > maxKeptFields {
		fields = nil
	}
	*b = inBlock{fields: fields[:0]}
}
