package http2

// endBlock processes the end of a header block.
func (r *receiver) endBlock(ev *Event) {
	b := &r.block
	id := b.id
	b.id = 0
	if b.size == 0 {
		b.fields, _ = r.decoder.Append(nil, b.fields) // a block without fields was not passed to the decoder before
	}
	if err := r.decoder.End(); err != nil {
		r.blockError(err)
	}
	r.chargeExpansion(b)
	if r.err != nil {
		return
	}
	if b.purpose == blockRequest {
		r.recvRequest(id, b, ev)
		return
	}
	s := r.streams.live(id)
	switch {
	case s == nil: // the owner has reset the stream meanwhile
	case b.purpose == blockResponse:
		r.recvResponse(s, b, ev)
	case b.purpose == blockTrailers:
		r.recvTrailers(s, b, ev)
	}
}

// chargeExpansion charges for a header section that is much larger than its block. Huffman code expands to at most 8/5, and
// each entry of the table adds to the section only once unless the block repeats it. A section that exceeds twice its
// block and twice the table repeats large entries, at one byte for each.
func (r *receiver) chargeExpansion(b *inBlock) {
	n := 0
	for i := range b.fields {
		n += len(b.fields[i].Name) + len(b.fields[i].Value)
	}
	table := max(int(r.cfg.DecoderTable), defaultTableSize)
	if excess := n - 2*int(b.size) - 2*table; excess > 0 {
		r.charge(int32(excess/expansionPerUnit) + 1)
	}
}

func (r *receiver) recvRequest(id uint32, b *inBlock, ev *Event) {
	facts := facts{knownAuthority: b.knownAuthority}
	if !b.tooLarge {
		if err := b.head.readRequest(b.fields, r.cfg.ConnectProtocol, &facts); err != nil {
			r.allowBody()
			r.refuseID(id, err, ev)
			return
		}
		if b.end && b.head.ContentLength > 0 && b.head.Method != "CONNECT" {
			r.refuseID(id, ErrShort, ev)
			return
		}
	}
	b.knownAuthority = facts.knownAuthority
	s := r.openStream(id)
	r.streams.enter(s, phaseOpen)
	s.inbound = hasBody
	r.sched.first(s, facts.priority)
	*ev = Event{Kind: EventHeaders, Stream: s, EndStream: b.end, Head: &b.head}
	switch {
	case b.tooLarge:
		ev.Kind = EventHeadersTooLarge
	case b.head.Method == "CONNECT":
		s.inbound = isTunnel
	default:
		s.body = b.head.ContentLength
	}
	if b.end {
		r.endInbound(s)
	}
}

func (r *receiver) recvResponse(s *Stream, b *inBlock, ev *Event) {
	if b.tooLarge {
		r.refuseStream(s, errListSize, ev)
		return
	}
	err := b.head.readResponse(b.fields)
	if err == nil && b.head.Status < 200 && b.end {
		err = errInformational
	}
	if err == nil && b.head.Status >= 200 {
		s.body = b.head.contentOf(s.method)
		if b.end && s.body > 0 {
			err = ErrShort
		}
	}
	if err != nil {
		r.refuseStream(s, err, ev)
		return
	}
	*ev = Event{Kind: EventHeaders, Stream: s, EndStream: b.end, Head: &b.head}
	if b.head.Status < 200 {
		ev.Kind = EventInformational
		r.charge(costInterim)
		return
	}
	s.inbound = hasBody
	if s.method == methodConnect && b.head.Status < 300 {
		s.inbound = isTunnel
	}
	if b.end {
		r.endInbound(s)
	}
}

func (r *receiver) recvTrailers(s *Stream, b *inBlock, ev *Event) {
	err := errListSize
	if !b.tooLarge {
		err = b.head.readTrailers(b.fields)
	}
	if err == nil && s.body > 0 {
		err = ErrShort
	}
	if err != nil {
		r.refuseStream(s, err, ev)
		return
	}
	*ev = Event{Kind: EventTrailers, Stream: s, EndStream: true, Head: &b.head}
	r.endInbound(s)
}
