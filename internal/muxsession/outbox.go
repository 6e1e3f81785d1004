package muxsession

// outbox holds the bytes of a session's frames from when they are written until the peer has acknowledged them. It is both
// the send buffer and the buffer for resending.
//
//	 base            sent           end      offsets in the stream of all frames
//	──┴───────────────┴──────────────┴──►
//	   acknowledged    on a connection  not sent yet
//
// A frame is never split between chunks, so output that was lent from the sent offset on ends with a whole frame.
type outbox struct {
	mem     Memory
	chunks  []chunk
	first   uint64 // number of chunks[0]; chunks are numbered from 0 for the whole session
	base    uint64 // the peer has acknowledged everything before this offset
	scanned uint64 // start of the first frame that is not acknowledged as a whole
	sent    uint64
	maxSent uint64 // the largest value of sent; a later connection may have set sent back
	end     uint64
	loan    loan // to the connection
}

// chunk is a piece of the outbox.
type chunk struct {
	b      []byte // from the pool
	at     uint64 // offset of b[0] in the stream
	lent   bool   // the connection is sending from it
	shared bool   // an earlier connection may still be sending from it: it must not be changed or returned to the pool
}

const (
	minChunk = 256       // the first chunk's size
	maxChunk = 256 << 10 // chunks grow up to this size
	// maxWaste is how much room may stay unused in a chunk; a message is split to fill more.
	maxWaste = 1 << 10
)

func (o *outbox) unsent() int { return int(o.end - o.sent) }
func (o *outbox) kept() int   { return int(o.end - o.base) }

// room returns the last chunk with room for at least need bytes. It adds a chunk if necessary.
func (o *outbox) room(need int) *chunk {
	size := minChunk
	if n := len(o.chunks); n > 0 {
		last := &o.chunks[n-1]
		if cap(last.b)-len(last.b) >= need {
			return last
		}
		size = min(4*cap(last.b), maxChunk)
	}
	o.chunks = append(o.chunks, chunk{b: o.mem.Get(max(size, need))[:0], at: o.end})
	return &o.chunks[len(o.chunks)-1]
}

// roomLeft returns how many bytes fit into the last chunk.
func (o *outbox) roomLeft() int {
	if n := len(o.chunks); n > 0 {
		return cap(o.chunks[n-1].b) - len(o.chunks[n-1].b)
	}
	return 0
}

// wrote updates c, the last chunk, after b was written to it.
func (o *outbox) wrote(c *chunk, b []byte) {
	o.end += uint64(len(b) - len(c.b))
	c.b = b
}

// lend appends to dst the slices from the sent offset on, about most bytes in all and no more slices than dst has room for,
// and counts them as sent. Their chunks stay unchanged until release.
func (o *outbox) lend(dst [][]byte, most int) [][]byte {
	for i := len(o.chunks) - o.tailChunks(); i < len(o.chunks) && most > 0 && len(dst) < cap(dst); i++ {
		c := &o.chunks[i]
		p := c.b[o.sent-c.at:]
		if len(p) == 0 {
			continue
		}
		if c.lent = true; o.loan.n == 0 {
			o.loan.first = o.first + uint64(i)
		}
		o.loan.n = o.first + uint64(i) + 1 - o.loan.first
		o.sent += uint64(len(p))
		o.maxSent = max(o.maxSent, o.sent)
		most -= len(p)
		dst = append(dst, p[:len(p):len(p)])
	}
	return dst
}

// tailChunks returns the number of chunks from the one with the sent offset on.
func (o *outbox) tailChunks() int {
	n := 0
	for i := len(o.chunks) - 1; i >= 0; i-- {
		n++
		if o.chunks[i].at <= o.sent {
			break
		}
	}
	return n
}

// loan is the range of chunks that are lent.
type loan struct{ first, n uint64 }

// release ends a loan after its bytes were sent. gone means that the connection has ended and may still be sending them.
func (o *outbox) release(gone bool) {
	for i := range o.loan.n {
		c := &o.chunks[o.loan.first+i-o.first]
		c.lent, c.shared = false, c.shared || gone
	}
	if o.loan.n > 0 {
		o.loan.n = 0
		o.drop()
	}
}

// free returns the memory of a chunk to the pool, unless a connection may still be sending from it.
func (o *outbox) free(c *chunk) {
	if !c.shared && !c.lent {
		o.mem.Put(c.b)
	}
}

// unshare gives c a copy of its bytes if an earlier connection may still be sending from them.
func (o *outbox) unshare(c *chunk) {
	if !c.shared {
		return
	}
	b := o.mem.Get(cap(c.b))
	c.b, c.shared = b[:copy(b, c.b)], false // the old memory is left to the connection
}

// drop removes the chunks that are acknowledged. The last one is kept and emptied for reuse.
func (o *outbox) drop() {
	n := 0
	for n < len(o.chunks) {
		c := &o.chunks[n]
		if c.lent || c.at+uint64(len(c.b)) > o.base {
			break
		}
		if n == len(o.chunks)-1 && !c.shared {
			c.b, c.at = c.b[:0], o.end
			break
		}
		o.free(c)
		n++
	}
	o.shift(n)
}

// shift removes the first n chunks.
func (o *outbox) shift(n int) {
	if n == 0 {
		return
	}
	k := copy(o.chunks, o.chunks[n:])
	clear(o.chunks[k:])
	o.chunks = o.chunks[:k]
	o.first += uint64(n)
}

// trim releases the last chunk if the outbox is empty.
func (o *outbox) trim() {
	if o.kept() == 0 && len(o.chunks) == 1 && !o.chunks[0].lent {
		o.free(&o.chunks[0])
		o.first++
		o.chunks = nil
	}
}

// clear releases all chunks.
func (o *outbox) clear() {
	for i := range o.chunks {
		o.free(&o.chunks[i])
	}
	o.chunks = nil
}
