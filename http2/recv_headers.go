package http2

import (
	"encoding/binary"
	"errors"

	"github.com/shockwave-go/shockwave/hpack"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// inBlock is the header block that is being received, in a HEADERS frame and the CONTINUATION frames that follow it.
type inBlock struct {
	id             uint32 // its stream; 0 if no block is being received
	purpose        purpose
	end            bool // the HEADERS frame had END_STREAM
	tooLarge       bool
	stream         *Stream // of a response or trailers
	size           uint32  // bytes of the block received so far
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

// beginHeaders processes the header of a HEADERS frame. The decoder must see every header block, even of a frame that is
// refused (RFC 9113 §4.3).
func (c *Conn) beginHeaders(h FrameHeader, p []byte, ev *Event) {
	if h.Flags&FlagPadded != 0 {
		if uint32(p[0]) > c.frame.left {
			c.fail(errPadding)
			return
		}
		c.frame.pad = p[0]
		c.frame.left -= uint32(p[0])
		p = p[1:]
	}
	c.messages++
	b := c.openBlock()
	b.id, b.end = h.Stream, h.Flags&FlagEndStream != 0
	var err *Error
	b.purpose, b.stream, err = c.purposeOf(h, ev)
	if err == nil && b.purpose != blockIgnored && h.Flags&FlagPriority != 0 && binary.BigEndian.Uint32(p)&maxStreamID == h.Stream {
		err = errSelf
	}
	if err != nil {
		if b.purpose == blockRequest {
			c.allowBody()
		}
		b.purpose, b.stream = blockIgnored, nil
		c.refuseID(h.Stream, err, ev)
	}
}

func (c *Conn) openBlock() *inBlock {
	c.openDecoder()
	b := &c.block
	*b = inBlock{fields: b.fields[:0], knownAuthority: b.knownAuthority}
	return b
}

// openDecoder initializes the workspace's decoder for this connection, unless that was done.
func (c *Conn) openDecoder() {
	if c.decoderOpen {
		return
	}
	c.decoderOpen = true
	c.decoder.MaxListBytes, c.decoder.MaxFields = int(c.cfg.MaxHeaderList), int(c.cfg.MaxFields)+maxCrumbs
	if c.packed != nil {
		c.decoder.Unpack(c.packed)
		c.packed = nil
	} else if c.cfg.DecoderTable > defaultTableSize || c.state&connAcked != 0 {
		c.decoder.SetAllowedTableSize(int(c.cfg.DecoderTable))
	}
}

// limitDecoder sets the size of the decoder's table when the peer has acknowledged our SETTINGS.
func (c *Conn) limitDecoder(n uint32) {
	if c.packed != nil {
		c.openDecoder()
	}
	if c.decoderOpen {
		c.decoder.SetAllowedTableSize(int(n))
	}
}

// purposeOf returns what a HEADERS frame is for, given the state of its stream. An error means that the stream is reset.
func (c *Conn) purposeOf(h FrameHeader, ev *Event) (purpose, *Stream, *Error) {
	if h.Stream&1 == 0 {
		c.fail(errIDParity)
		return blockIgnored, nil, nil
	}
	if !c.client && h.Stream > c.lastPeer {
		return c.openPeer(h.Stream)
	}
	s := c.live(h.Stream)
	if s == nil {
		c.recvLate(h, ev)
		return blockIgnored, nil, nil
	}
	switch {
	case !s.mayReceive():
		return blockIgnored, nil, errHalfClosed
	case !s.has(flagGotHead):
		return blockResponse, s, nil
	case s.has(flagTunnel):
		return blockIgnored, nil, errTunnel
	case h.Flags&FlagEndStream == 0:
		return blockIgnored, nil, errTrailers
	}
	return blockTrailers, s, nil
}

// openPeer handles the HEADERS frame with which a client opens a stream.
func (c *Conn) openPeer(id uint32) (purpose, *Stream, *Error) {
	c.ended.skip(c.lastPeer, id)
	c.lastPeer = id
	c.ended.set(id, id, endReset)
	if id > c.ourLast {
		// RFC 9113 §6.8: frames of streams above the last one of our GOAWAY are ignored.
		c.chargeRefused()
		return blockIgnored, nil, nil
	}
	if c.atStreamLimit() {
		c.chargeRefused()
		return blockIgnored, nil, errTooMany
	}
	return blockRequest, nil, nil
}

// atStreamLimit reports whether the peer may not open another stream now. A stream that the peer has reset counts until
// the owner releases it: otherwise the peer could start any number of handlers. A complete stream does not count, because
// the peer knows that it is over (RFC 9113 §5.1.2). But at most twice MaxStreams may be unreleased.
func (c *Conn) atStreamLimit() bool {
	most, n := int64(c.cfg.MaxStreams), int64(c.streams.n)
	return n-int64(c.completed) >= most || n >= 2*most
}

func (c *Conn) beginContinuation(h FrameHeader) {
	c.charge(costContinuation)
	if h.Length == 0 {
		c.charge(costEmptyBlock)
	}
	if c.block.tooLarge {
		c.charge(costListSize)
	}
}

// recvFragment passes a part of a header block to the decoder.
func (c *Conn) recvFragment(p []byte) {
	b := &c.block
	b.size += uint32(len(p))
	if b.size > blockBytes(c.cfg.MaxHeaderList) {
		c.fail(errBlockSize)
		return
	}
	var err error
	if b.fields, err = c.decoder.Append(p, b.fields); err != nil {
		c.blockError(err)
	} else if most := int(c.cfg.MaxFields); len(b.fields) > most && joinedFields(b.fields) > most {
		c.headTooLarge()
	}
	if b.purpose == blockIgnored || b.tooLarge {
		b.fields = b.fields[:0]
	}
}

// blockBytes bounds the bytes of a header block whose header list is too large. The rest of such a block is decoded only
// to keep the decoder's table in step.
func blockBytes(list uint32) uint32 { return 4*list + minFrameSize }

// blockError handles an error of the decoder, which ends the connection, or refuses only this block if the list is too
// large.
func (c *Conn) blockError(err error) {
	var e *hpack.Error
	if !errors.As(err, &e) || e.Kind != hpack.TooLarge {
		c.fail(errCompression)
		return
	}
	c.headTooLarge()
}

// headTooLarge refuses the block that is being received because its header list is too large.
func (c *Conn) headTooLarge() {
	if b := &c.block; !b.tooLarge {
		b.tooLarge = true
		b.head = Head{Method: methodIn(b.fields), ContentLength: -1}
		c.charge(costListSize)
	}
}

// maxCrumbs is how many lines beyond Config.MaxFields a header section may have if they are cookies. Browsers send each
// cookie in a line of its own, and keep some 180 for a site.
const maxCrumbs = 1000

// joinedFields returns the number of fields if the cookies are joined to one (RFC 9113 §8.2.3).
func joinedFields(fields []Field) int {
	n, cookies := len(fields), 0
	for i := range fields {
		if fields[i].Name == "cookie" {
			cookies++
		}
	}
	return n - max(cookies-1, 0)
}

// methodIn returns the method of a request that was not received whole, "" if there is no valid one.
func methodIn(fields []Field) string {
	for i := range fields {
		if f := &fields[i]; f.Name == ":method" && ascii.All(bytesOf(f.Value), ascii.Token) {
			return f.Value
		}
	}
	return ""
}

// endBlock processes the end of a header block.
func (c *Conn) endBlock(ev *Event) {
	b := &c.block
	id := b.id
	b.id = 0
	if b.size == 0 {
		b.fields, _ = c.decoder.Append(nil, b.fields) // a block without fields was not passed to the decoder before
	}
	if err := c.decoder.End(); err != nil {
		c.blockError(err)
	}
	c.chargeExpansion(b)
	if c.err != nil {
		return
	}
	s := b.stream
	b.stream = nil
	switch b.purpose {
	case blockRequest:
		c.recvRequest(id, b, ev)
	case blockResponse:
		c.recvResponse(s, b, ev)
	case blockTrailers:
		c.recvTrailers(s, b, ev)
	}
}

// chargeExpansion charges for a header section that is much larger than its block. Huffman code expands to at most 8/5, and
// each entry of the table adds to the section only once unless the block repeats it. A section that exceeds twice its
// block and twice the table repeats large entries, at one byte for each.
func (c *Conn) chargeExpansion(b *inBlock) {
	n := 0
	for i := range b.fields {
		n += len(b.fields[i].Name) + len(b.fields[i].Value)
	}
	table := max(int(c.cfg.DecoderTable), defaultTableSize)
	if excess := n - 2*int(b.size) - 2*table; excess > 0 {
		c.charge(int32(excess/expansionPerUnit) + 1)
	}
}

func (c *Conn) recvRequest(id uint32, b *inBlock, ev *Event) {
	facts := facts{knownAuthority: b.knownAuthority}
	if !b.tooLarge {
		if err := b.head.readRequest(b.fields, c.cfg.ConnectProtocol, &facts); err != nil {
			c.allowBody()
			c.refuseID(id, err, ev)
			return
		}
		if b.end && b.head.ContentLength > 0 && b.head.Method != "CONNECT" {
			c.refuseID(id, ErrShort, ev)
			return
		}
	}
	b.knownAuthority = facts.knownAuthority
	s := c.newStream(id)
	s.state = StateOpen
	s.flags |= flagGotHead
	c.firstPriority(s, facts.priority)
	*ev = Event{Kind: EventHeaders, Stream: s, EndStream: b.end, Head: &b.head}
	switch {
	case b.tooLarge:
		ev.Kind = EventHeadersTooLarge
	case b.head.Method == "CONNECT":
		s.flags |= flagTunnel
	default:
		s.body = b.head.ContentLength
	}
	if b.end {
		c.endRemote(s)
	}
}

func (c *Conn) recvResponse(s *Stream, b *inBlock, ev *Event) {
	if b.tooLarge {
		c.refuseStream(s, errListSize, ev)
		return
	}
	err := b.head.readResponse(b.fields)
	if err == nil && b.head.Status < 200 && b.end {
		err = errInformational
	}
	if err == nil && b.head.Status >= 200 {
		s.body = b.head.contentOf(s)
		if b.end && s.body > 0 {
			err = ErrShort
		}
	}
	if err != nil {
		c.refuseStream(s, err, ev)
		return
	}
	*ev = Event{Kind: EventHeaders, Stream: s, EndStream: b.end, Head: &b.head}
	if b.head.Status < 200 {
		ev.Kind = EventInformational
		c.charge(costInterim)
		return
	}
	s.flags |= flagGotHead
	if s.has(flagConnect) && b.head.Status < 300 {
		s.flags |= flagTunnel
	}
	if b.end {
		c.endRemote(s)
	}
}

func (c *Conn) recvTrailers(s *Stream, b *inBlock, ev *Event) {
	err := errListSize
	if !b.tooLarge {
		err = b.head.readTrailers(b.fields)
	}
	if err == nil && s.body > 0 {
		err = ErrShort
	}
	if err != nil {
		c.refuseStream(s, err, ev)
		return
	}
	*ev = Event{Kind: EventTrailers, Stream: s, EndStream: true, Head: &b.head}
	c.endRemote(s)
}
