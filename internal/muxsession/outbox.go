package muxsession

// outbox holds the bytes of a session's frames from when they are written until the peer has acknowledged them: it is what
// is to be sent and what would have to be sent again.
//
//	 base            sent           end      offsets in the stream of all frames
//	──┴───────────────┴──────────────┴──►
//	   acknowledged    on a connection  not sent yet
//
// Frames lie whole in their chunks, so that what is lent from the sent offset on ends with a frame.
type outbox struct {
	mem    Memory
	chunks []chunk
	first  uint64 // number of chunks[0]
	base   uint64 // up to here the peer has everything
	walked uint64 // the frame that begins here is not acknowledged as a whole
	sent   uint64
	most   uint64 // sent ever: a connection that was never used may have set sent back
	end    uint64
	loan   loan // of the connection
}

// chunk is a piece of the outbox.
type chunk struct {
	b      []byte // leased
	at     uint64 // its offset
	lent   bool   // the connection sends from it
	shared bool   // a connection that is gone perhaps does: it is neither changed nor given back
}

const (
	leastChunk = 256       // of a session that says little
	mostChunk  = 256 << 10 // of one that says much
	// waste is how much of a chunk may stay empty rather than have a piece of a message of as many bytes.
	waste = 1 << 10
)

func (o *outbox) unsent() int { return int(o.end - o.sent) }
func (o *outbox) kept() int   { return int(o.end - o.base) }

// room returns the last chunk, with room for so many bytes at least.
func (o *outbox) room(need int) *chunk {
	size := leastChunk
	if n := len(o.chunks); n > 0 {
		last := &o.chunks[n-1]
		if cap(last.b)-len(last.b) >= need {
			return last
		}
		size = min(4*cap(last.b), mostChunk)
	}
	o.chunks = append(o.chunks, chunk{b: o.mem.Get(max(size, need))[:0], at: o.end})
	return &o.chunks[len(o.chunks)-1]
}

// left returns how many bytes the last chunk has room for.
func (o *outbox) left() int {
	if n := len(o.chunks); n > 0 {
		return cap(o.chunks[n-1].b) - len(o.chunks[n-1].b)
	}
	return 0
}

// wrote says that c, the last chunk, has grown to b.
func (o *outbox) wrote(c *chunk, b []byte) {
	o.end += uint64(len(b) - len(c.b))
	c.b = b
}

// lend appends to dst the slices from the sent offset on, about so many bytes in all and no more than dst has room for, and
// counts them as sent. Their chunks stay until release.
func (o *outbox) lend(dst [][]byte, most int) [][]byte {
	for i := len(o.chunks) - o.back(); i < len(o.chunks) && most > 0 && len(dst) < cap(dst); i++ {
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
		o.most = max(o.most, o.sent)
		most -= len(p)
		dst = append(dst, p[:len(p):len(p)])
	}
	return dst
}

// back returns how many chunks there are from that on that has the sent offset.
func (o *outbox) back() int {
	n := 0
	for i := len(o.chunks) - 1; i >= 0; i-- {
		n++
		if o.chunks[i].at <= o.sent {
			break
		}
	}
	return n
}

// loan are the chunks that were lent.
type loan struct{ first, n uint64 }

// release ends a loan: what was lent has left. gone says that nobody knows whether it has, or still will.
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

// free gives back the memory of a chunk, which is forgotten then.
func (o *outbox) free(c *chunk) {
	if !c.shared && !c.lent {
		o.mem.Put(c.b)
	}
}

// own makes sure that nobody sends from a chunk that is about to be changed.
func (o *outbox) own(c *chunk) {
	if !c.shared {
		return
	}
	b := o.mem.Get(cap(c.b))
	c.b, c.shared = b[:copy(b, c.b)], false // what it was is left to who sends from it
}

// drop gives back the chunks whose frames are acknowledged. The last stays, empty, for what comes next.
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

// shift forgets n chunks.
func (o *outbox) shift(n int) {
	if n == 0 {
		return
	}
	k := copy(o.chunks, o.chunks[n:])
	clear(o.chunks[k:])
	o.chunks = o.chunks[:k]
	o.first += uint64(n)
}

// trim gives back what an outbox does not need in which nothing is kept.
func (o *outbox) trim() {
	if o.kept() == 0 && len(o.chunks) == 1 && !o.chunks[0].lent {
		o.free(&o.chunks[0])
		o.first++
		o.chunks = nil
	}
}

// clear gives everything back that nobody sends from.
func (o *outbox) clear() {
	for i := range o.chunks {
		o.free(&o.chunks[i])
	}
	o.chunks = nil
}
