package http2

import (
	"encoding/binary"
	"errors"

	"github.com/shockwave-go/shockwave/hpack"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// beginHeaders processes the header of a HEADERS frame. The decoder must see every header block, even of a frame that is
// refused (RFC 9113 §4.3).
func (r *receiver) beginHeaders(h FrameHeader, p []byte, ev *Event) {
	if h.Flags&FlagPadded != 0 {
		if uint32(p[0]) > r.frame.left {
			r.fail(errPadding)
			return
		}
		r.frame.pad = p[0]
		r.frame.left -= uint32(p[0])
		p = p[1:]
	}
	b := r.openBlock()
	b.id, b.end = h.Stream, h.Flags&FlagEndStream != 0
	var err *Error
	b.purpose, err = r.purposeOf(h, ev)
	if err == nil && b.purpose != blockIgnored && h.Flags&FlagPriority != 0 && binary.BigEndian.Uint32(p)&maxStreamID == h.Stream {
		err = errSelf
	}
	if err != nil {
		if b.purpose == blockRequest {
			r.allowBody()
		}
		b.purpose = blockIgnored
		r.refuseID(h.Stream, err, ev)
	}
}

func (r *receiver) openBlock() *inBlock {
	r.openDecoder()
	b := &r.block
	*b = inBlock{fields: b.fields[:0], knownAuthority: b.knownAuthority}
	return b
}

// openDecoder initializes the workspace's decoder for this connection, unless that was done.
func (r *receiver) openDecoder() {
	if r.decodes {
		return
	}
	r.decodes = true
	r.decoder.MaxListBytes, r.decoder.MaxFields = int(r.cfg.MaxHeaderList), int(r.cfg.MaxFields)+maxCrumbs
	if r.core.decoder != "" {
		r.decoder.UnmarshalBinary([]byte(r.core.decoder)) // cannot fail: AppendBinary has written it
		r.core.decoder = ""
	} else if r.cfg.DecoderTable > defaultTableSize || r.own.acked {
		r.decoder.SetAllowedTableSize(int(r.cfg.DecoderTable))
	}
}

// limitDecoder sets the size of the decoder's table when the peer has acknowledged our SETTINGS.
func (r *receiver) limitDecoder(n uint32) {
	if r.core.decoder != "" {
		r.openDecoder()
	}
	if r.decodes {
		r.decoder.SetAllowedTableSize(int(n))
	}
}

// purposeOf returns what a HEADERS frame is for, given the state of its stream. An error means that the stream is reset.
func (r *receiver) purposeOf(h FrameHeader, ev *Event) (purpose, *Error) {
	if h.Stream&1 == 0 {
		r.fail(errIDParity)
		return blockIgnored, nil
	}
	if !r.client && h.Stream >= r.streams.next {
		return r.openPeer(h.Stream)
	}
	s := r.streams.live(h.Stream)
	if s == nil {
		r.recvLate(h, ev)
		return blockIgnored, nil
	}
	switch {
	case !s.phase.mayReceive():
		return blockIgnored, errHalfClosed
	case s.inbound == awaitsHead:
		return blockResponse, nil
	case s.inbound == isTunnel:
		return blockIgnored, errTunnel
	case h.Flags&FlagEndStream == 0:
		return blockIgnored, errTrailers
	}
	return blockTrailers, nil
}

// openPeer handles the HEADERS frame with which a client opens a stream.
func (r *receiver) openPeer(id uint32) (purpose, *Error) {
	r.ended.skip(r.streams.next, id)
	r.streams.next = id + 2
	r.ended.set(id, id, endReset)
	if r.bye.stage == namedLast {
		// RFC 9113 §6.8: frames of streams above the last one of our GOAWAY are ignored.
		r.allowBody()
		r.chargeRefused()
		return blockIgnored, nil
	}
	r.accepted = id
	if r.atStreamLimit() {
		r.allowBody()
		r.chargeRefused()
		return blockIgnored, errTooMany
	}
	return blockRequest, nil
}

// allowBody is allowLate for a request that is refused when its head arrives.
func (r *receiver) allowBody() {
	if !r.block.end {
		r.allowLate(int32(r.cfg.InitialWindow))
	}
}

func (r *receiver) beginContinuation(h FrameHeader) {
	r.charge(costContinuation)
	if h.Length == 0 {
		r.charge(costEmptyBlock)
	}
	if r.block.tooLarge {
		r.charge(costListSize)
	}
}

// recvFragment passes a part of a header block to the decoder.
func (r *receiver) recvFragment(p []byte) {
	b := &r.block
	b.size += uint32(len(p))
	if b.size > blockBytes(r.cfg.MaxHeaderList) {
		r.fail(errBlockSize)
		return
	}
	var err error
	if b.fields, err = r.decoder.Append(p, b.fields); err != nil {
		r.blockError(err)
	} else if most := int(r.cfg.MaxFields); len(b.fields) > most && joinedFields(b.fields) > most {
		r.headTooLarge()
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
func (r *receiver) blockError(err error) {
	var e *hpack.Error
	if !errors.As(err, &e) || e.Kind != hpack.TooLarge {
		r.fail(errCompression)
		return
	}
	r.headTooLarge()
}

// headTooLarge refuses the block that is being received because its header list is too large.
func (r *receiver) headTooLarge() {
	if b := &r.block; !b.tooLarge {
		b.tooLarge = true
		b.head = Head{Method: methodIn(b.fields), ContentLength: -1}
		r.charge(costListSize)
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
