package http2

// writing is the header section that is being appended.
type writing struct {
	stream *Stream
	start  int // position of its HEADERS frame
}

// AppendHeaders appends a header section: a request, an informational or final response, or trailers. It uses one HEADERS
// frame, and CONTINUATION frames as the peer's SETTINGS_MAX_FRAME_SIZE requires. The owner must put pseudo-fields first,
// use lower-case names and leave out connection-specific fields (see ValidField). endStream ends our message. If the
// stream cannot send any more, only pending frames are appended.
func (c *Conn) AppendHeaders(dst []byte, s *Stream, fields []Field, endStream bool) []byte {
	dst = c.BeginHeaders(dst, s)
	for i := range fields {
		c.noteField(fields[i].Name, fields[i].Value)
	}
	if c.state&connWriting != 0 {
		dst = c.encoder.AppendBlock(dst, fields)
	}
	return c.EndHeaders(dst, endStream)
}

// BeginHeaders begins a header section. Its fields are appended one by one with AppendStatus, AppendField and
// AppendSensitive, up to EndHeaders. Meanwhile nothing else may be appended to dst, and each call must be given the
// result of the one before. A header section that was begun must be ended, unless the connection is given up. If the
// stream cannot send any more, these methods append only pending frames.
func (c *Conn) BeginHeaders(dst []byte, s *Stream) []byte {
	dst = c.AppendPending(dst)
	if c.err != nil || !s.maySend() && s.state != StateIdle {
		return dst
	}
	if !c.encoderOpen {
		c.encoderOpen = true
		c.encoder.TableLimit = int(c.cfg.EncoderTable)
		c.encoder.SetMaxTableSize(int(c.peer.tableSize))
		if c.state&connResized != 0 {
			c.encoder.TellSize()
		}
	}
	if s.state == StateIdle {
		s.state = StateOpen
		c.state &^= connOpening
	}
	c.state |= connWriting
	c.writing = writing{stream: s, start: len(dst)}
	return FrameHeader{Type: FrameHeaders, Stream: s.id}.Append(dst)
}

// AppendStatus appends the :status of a response, a number of three digits. It must come first.
func (c *Conn) AppendStatus(dst []byte, status int) []byte {
	digits := [3]byte{byte('0' + status/100%10), byte('0' + status/10%10), byte('0' + status%10)}
	return c.AppendFieldBytes(dst, statusName, digits[:])
}

var statusName = []byte(":status")

// AppendField appends a field to the header section.
func (c *Conn) AppendField(dst []byte, name, value string) []byte {
	if c.state&connWriting == 0 {
		return dst
	}
	c.noteField(name, value)
	return c.encoder.AppendLine(dst, bytesOf(name), bytesOf(value), false)
}

// AppendFieldBytes is AppendField for byte slices, which are not kept.
func (c *Conn) AppendFieldBytes(dst, name, value []byte) []byte {
	if c.state&connWriting == 0 {
		return dst
	}
	return c.encoder.AppendLine(dst, name, value, false)
}

// AppendSensitive is AppendField for a field that is kept out of all compression tables (RFC 7541 §7.1.3).
func (c *Conn) AppendSensitive(dst []byte, name, value string) []byte {
	if c.state&connWriting == 0 {
		return dst
	}
	return c.encoder.AppendLine(dst, bytesOf(name), bytesOf(value), true)
}

// noteField records the method of a request if the response to it is read differently.
func (c *Conn) noteField(name, value string) {
	if !c.client || c.state&connWriting == 0 || name != ":method" {
		return
	}
	switch value {
	case "HEAD":
		c.writing.stream.flags |= flagHead
	case "CONNECT":
		c.writing.stream.flags |= flagConnect
	}
}

// EndHeaders ends the header section. endStream ends our message.
func (c *Conn) EndHeaders(dst []byte, endStream bool) []byte {
	if c.state&connWriting == 0 {
		return dst
	}
	c.state &^= connWriting
	w := c.writing
	c.writing = writing{}
	flags := Flags(0)
	if endStream {
		flags = FlagEndStream
	}
	c.debts.noteFrame()
	dst = frameBlock(dst, w.start, w.stream.id, flags, int(c.peer.frameSize))
	if endStream {
		c.endLocal(w.stream)
	}
	return dst
}

// frameBlock completes a HEADERS frame whose header is at start and whose block is the rest of dst. It splits the block
// into frames of at most most bytes.
func frameBlock(dst []byte, start int, id uint32, flags Flags, most int) []byte {
	block := len(dst) - start - FrameHeaderLen
	if block <= most {
		FrameHeader{Length: uint32(block), Type: FrameHeaders, Flags: flags | FlagEndHeaders, Stream: id}.Append(dst[:start])
		return dst
	}
	more := (block - 1) / most // CONTINUATION frames
	for range more {
		dst = append(dst, make([]byte, FrameHeaderLen)...)
	}
	// From the last frame to the first, because each moves to where the next one was.
	for i := more; i >= 0; i-- {
		from, to := start+FrameHeaderLen+i*most, start+i*(most+FrameHeaderLen)
		n := min(most, block-i*most)
		copy(dst[to+FrameHeaderLen:], dst[from:from+n])
		h := FrameHeader{Length: uint32(n), Type: FrameContinuation, Stream: id}
		if i == 0 {
			h.Type, h.Flags = FrameHeaders, flags
		}
		if i == more {
			h.Flags |= FlagEndHeaders
		}
		h.Append(dst[:to])
	}
	return dst
}

// limitEncoder sets the table size that the peer allows.
func (c *Conn) limitEncoder(n uint32) {
	c.peer.tableSize = n
	if c.workspace != nil && c.encoderOpen {
		c.encoder.SetMaxTableSize(int(n))
	}
}
