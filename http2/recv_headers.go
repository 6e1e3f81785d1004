package http2

import (
	"encoding/binary"
	"errors"

	"github.com/shockwave-go/shockwave/hpack"
	"github.com/shockwave-go/shockwave/internal/ascii"
)

// inBlock is the header block that is being read: of one HEADERS frame and the CONTINUATION frames behind it.
type inBlock struct {
	id       uint32 // of its stream; 0 while no block is read
	purpose  purpose
	end      bool // END_STREAM
	tooLarge bool
	stream   *Stream // of a response and of trailers
	size     uint32  // bytes of the block so far
	fields   []Field
	head     Head
	known    string // see facts
}

// purpose is what a header block is for.
type purpose uint8

const (
	blockIgnored  purpose = iota // only the decoder is to see it
	blockRequest                 // opens a stream
	blockResponse                // informational or final
	blockTrailers
)

// beginHeaders takes the header of a HEADERS frame. Whatever becomes of the frame, its block goes through the decoder
// (RFC 9113 §4.3).
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
	b := c.openBlock()
	b.id, b.end = h.Stream, h.Flags&FlagEndStream != 0
	var err *Error
	b.purpose, b.stream, err = c.purposeOf(h, ev)
	if err == nil && b.purpose != blockIgnored && h.Flags&FlagPriority != 0 && binary.BigEndian.Uint32(p)&maxStreamID == h.Stream {
		err = errSelf
	}
	if err != nil {
		b.purpose, b.stream = blockIgnored, nil
		c.refuseID(h.Stream, err, ev)
	}
}

func (c *Conn) openBlock() *inBlock {
	c.openDecoder()
	b := &c.block
	*b = inBlock{fields: b.fields[:0], known: b.known}
	return b
}

// openDecoder makes the decoder this connection's, unless it is.
func (c *Conn) openDecoder() {
	if c.reads {
		return
	}
	c.reads = true
	c.decoder.MaxListBytes, c.decoder.MaxFields = int(c.cfg.MaxHeaderList), int(c.cfg.MaxFields)
	if c.packed != nil {
		c.decoder.Unpack(c.packed)
		c.packed = nil
	} else if c.cfg.DecoderTable > defaultTableSize || c.state&connAcked != 0 {
		c.decoder.SetAllowedTableSize(int(c.cfg.DecoderTable))
	}
}

// limitDecoder bounds the decoder's table when the peer has acknowledged our SETTINGS.
func (c *Conn) limitDecoder(n uint32) {
	if c.packed != nil {
		c.openDecoder()
	}
	if c.reads {
		c.decoder.SetAllowedTableSize(int(n))
	}
}

// purposeOf says what a HEADERS frame is for in the state that its stream is in. An error refuses the stream.
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
		before := c.lateData
		c.late(h, ev)
		if c.err == nil && c.lateData == before {
			c.charge(costLateBlock)
		}
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

// openPeer takes the identifier of a stream that a client opens.
func (c *Conn) openPeer(id uint32) (purpose, *Stream, *Error) {
	c.ended.skip(c.lastPeer, id)
	c.lastPeer = id
	c.ended.set(id, endReset)
	if id > c.ourLast {
		// RFC 9113 §6.8: frames of streams behind our GOAWAY's last one are ignored.
		c.charge(costLateBlock)
		return blockIgnored, nil, nil
	}
	if c.crowded() {
		return blockIgnored, nil, errTooMany
	}
	return blockRequest, nil, nil
}

// crowded reports whether the peer may not open a stream now. A stream that it has reset counts until the owner is done with
// it, or it could have any amount of work begun. One on which both messages ended does not, as the peer knows it to be over
// (RFC 9113 §5.1.2): an owner that is still busy with it is given as many again.
func (c *Conn) crowded() bool {
	most, n := int64(c.cfg.MaxStreams), int64(c.streams.n)
	return n-int64(c.answered) >= most || n >= 2*most
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

// recvFragment gives a part of a header block to the decoder.
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
	}
	if b.purpose == blockIgnored || b.tooLarge {
		b.fields = b.fields[:0]
	}
}

// blockBytes bounds the bytes of a header block whose list is too large: they are read only to keep the decoder's table
// in step.
func blockBytes(list uint32) uint32 { return 4*list + minFrameSize }

// blockError takes an error of the decoder's: the connection's, or only the block's.
func (c *Conn) blockError(err error) {
	var e *hpack.Error
	if !errors.As(err, &e) || e.Kind != hpack.TooLarge {
		c.fail(errCompression)
		return
	}
	if b := &c.block; !b.tooLarge {
		b.tooLarge = true
		b.head = Head{Method: methodIn(b.fields), ContentLength: -1}
		c.charge(costListSize)
	}
}

// methodIn returns the method of a request that is not read whole, if it is there and is one.
func methodIn(fields []Field) string {
	for i := range fields {
		if f := &fields[i]; f.Name == ":method" && ascii.All(bytesOf(f.Value), ascii.Token) {
			return f.Value
		}
	}
	return ""
}

// endBlock makes an event of a header block that is whole.
func (c *Conn) endBlock(ev *Event) {
	b := &c.block
	id := b.id
	b.id = 0
	if b.size == 0 {
		b.fields, _ = c.decoder.Append(nil, b.fields) // a block of no fields is one
	}
	if err := c.decoder.End(); err != nil {
		c.blockError(err)
	}
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

func (c *Conn) recvRequest(id uint32, b *inBlock, ev *Event) {
	facts := facts{known: b.known}
	if !b.tooLarge {
		if err := b.head.readRequest(b.fields, c.cfg.ConnectProtocol, &facts); err != nil {
			c.refuseID(id, err, ev)
			return
		}
		if b.end && b.head.ContentLength > 0 && b.head.Method != "CONNECT" {
			c.refuseID(id, ErrShort, ev)
			return
		}
	}
	b.known = facts.known
	s := c.newStream(id)
	s.state = Open
	s.flags |= flagGotHead
	c.firstPriority(s, facts.priority)
	*ev = Event{Kind: Headers, Stream: s, EndStream: b.end, Head: &b.head}
	switch {
	case b.tooLarge:
		ev.Kind = HeadersTooLarge
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
	*ev = Event{Kind: Headers, Stream: s, EndStream: b.end, Head: &b.head}
	if b.head.Status < 200 {
		ev.Kind = Informational
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
	*ev = Event{Kind: Trailers, Stream: s, EndStream: true, Head: &b.head}
	c.endRemote(s)
}
