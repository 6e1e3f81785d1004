package muxsession

// receiver is the receiving half of a channel: its inbox, the message that is arriving, and what the peer may still send.
type receiver struct {
	inbox         inbox
	partial       partial
	readerBuf     []byte // a waiting reader's buffer for the next message
	credit        int    // what the peer may still send
	used          int    // cost of the messages in the inbox
	window        int    // limit of credit and used together
	messages      uint64 // messages that have ended
	received      uint64 // messages that were delivered to the inbox
	credited      int    // credit given since creditedSince
	creditedSince int64
	reserve       int32 // what the peer may still send of the reserve
	reserved      int32 // the part of used and partial.cost that counts in the reserve and not in the session's window
	// Places among the channels to which a GRANT may be given: without a waiting reader, and with one.
	grantable, grantableFirst int32

	awaited bool // a reader waits for a message
}

// partial is the message that is arriving in pieces.
type partial struct {
	b           []byte // as far as it has come; from the pool, or a reader's buffer
	cost        int    // what b counts for in the windows
	exempt      int    // the part of the message that came with a GRANT and does not count
	granted     int    // bytes of the GRANT that are left
	phase       partialPhase
	hasGrant    bool // a GRANT was given for the message
	readerOwned bool // b is a reader's buffer
}

// partialPhase says what becomes of the message that is arriving.
type partialPhase uint8

const (
	partialNone partialPhase = iota // none is arriving
	partialKept                     // it will be delivered
	partialVoid                     // it was cancelled by the peer: what comes of it is dropped
)

// arriving reports whether a part of a message has come, and its end has not.
func (p *partial) arriving() bool { return p.phase != partialNone }

// append appends a piece. The buffer grows with the bytes received, not with the announced length.
func (in *receiver) append(mem Memory, piece []byte) {
	p := &in.partial
	if p.b == nil && in.readerBuf != nil {
		p.b, in.readerBuf, p.readerOwned = in.readerBuf[:0], nil, true
	}
	n := len(p.b)
	if need := n + len(piece); need > cap(p.b) || p.b == nil {
		b := mem.Get(max(need, 2*n, 1))
		copy(b, p.b)
		p.release(mem)
		p.b = b[:n]
	}
	p.b = append(p.b, piece...)
}

// release returns the message's buffer to the pool, unless it is a reader's.
func (p *partial) release(mem Memory) {
	if p.b != nil && !p.readerOwned {
		mem.Put(p.b)
	}
	p.b, p.readerOwned = nil, false
}

// minReaderBuf is the smallest reader's buffer into which messages are received directly.
const minReaderBuf = 4 << 10

// withdraw ends the use of buf, a reader's buffer. Bytes received into it are moved elsewhere, unless they are the next message
// and takes is true.
func (in *receiver) withdraw(mem Memory, buf []byte, takes bool) {
	same := func(p []byte) bool { return cap(p) > 0 && &p[:1][0] == &buf[0] }
	if same(in.readerBuf) {
		in.readerBuf = nil
	}
	if p := &in.partial; p.readerOwned && same(p.b) {
		b := mem.Get(max(len(p.b), 1))
		p.b, p.readerOwned = b[:copy(b, p.b)], false
	}
	if takes || in.inbox.messages == 0 {
		return
	}
	if g := &in.inbox.segs[in.inbox.first]; g.readerOwned && same(g.b) {
		b := mem.Get(max(len(g.b), 1))
		g.b, g.readerOwned = b[:copy(b, g.b)], false
	}
}
