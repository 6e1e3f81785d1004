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
	chunks  []chunk
	lent    int    // how many chunks are lent to the connection
	base    uint64 // the peer has acknowledged everything before this offset
	scanned uint64 // start of the first frame that is not acknowledged as a whole
	sent    uint64
	maxSent uint64 // the largest value of sent; a later connection may have set sent back
	end     uint64
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
func (o *outbox) room(mem Memory, need int) *chunk {
	size := minChunk
	if n := len(o.chunks); n > 0 {
		last := &o.chunks[n-1]
		if cap(last.b)-len(last.b) >= need {
			return last
		}
		size = min(4*cap(last.b), maxChunk)
	}
	o.chunks = append(o.chunks, chunk{b: mem.Get(max(size, need))[:0], at: o.end})
	return &o.chunks[len(o.chunks)-1]
}

// roomLeft returns how many bytes fit into the last chunk.
func (o *outbox) roomLeft() int {
	if n := len(o.chunks); n > 0 {
		return cap(o.chunks[n-1].b) - len(o.chunks[n-1].b)
	}
	return 0
}

// wrote updates the last chunk after it was extended to b.
func (o *outbox) wrote(b []byte) {
	c := &o.chunks[len(o.chunks)-1]
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
		c.lent = true
		o.lent++
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

// release takes back the chunks that are lent, after their bytes were sent. gone means that the connection has ended and may
// still be sending them.
func (o *outbox) release(mem Memory, gone bool) {
	if o.lent == 0 {
		return
	}
	for i := len(o.chunks) - 1; o.lent > 0; i-- {
		if c := &o.chunks[i]; c.lent {
			c.lent, c.shared = false, c.shared || gone
			o.lent--
		}
	}
	o.drop(mem)
}

// free returns the memory of a chunk to the pool, unless a connection may still be sending from it.
func (o *outbox) free(mem Memory, c *chunk) {
	if !c.shared && !c.lent {
		mem.Put(c.b)
	}
}

// unshare gives c a copy of its bytes if an earlier connection may still be sending from them.
func (o *outbox) unshare(mem Memory, c *chunk) {
	if !c.shared {
		return
	}
	b := mem.Get(cap(c.b))
	c.b, c.shared = b[:copy(b, c.b)], false // the old memory is left to the connection
}

// drop removes the chunks that are acknowledged. The last one is kept and emptied for reuse.
func (o *outbox) drop(mem Memory) {
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
		o.free(mem, c)
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
}

// trim releases the last chunk if the outbox is empty.
func (o *outbox) trim(mem Memory) {
	if o.kept() == 0 && len(o.chunks) == 1 && !o.chunks[0].lent {
		o.free(mem, &o.chunks[0])
		o.chunks = nil
	}
}

// clear releases all chunks.
func (o *outbox) clear(mem Memory) {
	for i := range o.chunks {
		o.free(mem, &o.chunks[i])
	}
	o.chunks, o.lent = nil, 0
}
