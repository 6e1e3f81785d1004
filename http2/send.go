package http2

// writing is the header section that is being appended.
type writing struct {
	stream *Stream
	start  int // of its HEADERS frame
}

// AppendHeaders appends a header section in HEADERS and as many CONTINUATION frames as the peer's SETTINGS_MAX_FRAME_SIZE
// makes it take: a request, an informational or final response, or trailers. Pseudo-fields come first, names are
// lower-case, and nothing is specific to a connection; that is the owner's business (see ValidField). endStream ends
// our message. On a stream that takes no more of ours only what is pending is appended.
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

// BeginHeaders begins a header section whose fields are appended one by one, with AppendStatus, AppendField and
// AppendSensitive, until EndHeaders. Nothing else may be appended between them, dst only be given on, and the header
// section be given up only together with the connection. On a stream that takes no more of ours none of them appends
// anything but what is pending.
func (c *Conn) BeginHeaders(dst []byte, s *Stream) []byte {
	dst = c.AppendPending(dst)
	if c.err != nil || !s.maySend() && s.state != Idle {
		return dst
	}
	if !c.writes {
		c.writes = true
		c.encoder.TableLimit = int(c.cfg.EncoderTable)
		c.encoder.SetMaxTableSize(int(c.peer.tableSize))
		if c.state&connResized != 0 {
			c.encoder.TellSize()
		}
	}
	if s.state == Idle {
		s.state = Open
		c.state &^= connOpening
	}
	c.state |= connWriting
	c.writing = writing{stream: s, start: len(dst)}
	return FrameHeader{Type: FrameHeaders, Stream: s.id}.Append(dst)
}

// AppendStatus appends the :status of a response, which comes first. It has three digits.
func (c *Conn) AppendStatus(dst []byte, status int) []byte {
	digits := [3]byte{byte('0' + status/100%10), byte('0' + status/10%10), byte('0' + status%10)}
	return c.AppendFieldBytes(dst, statusName, digits[:])
}

var statusName = []byte(":status")

// AppendField appends a field to the header section that was begun.
func (c *Conn) AppendField(dst []byte, name, value string) []byte {
	if c.state&connWriting == 0 {
		return dst
	}
	c.noteField(name, value)
	return c.encoder.AppendLine(dst, bytesOf(name), bytesOf(value), false)
}

// AppendFieldBytes is AppendField for bytes, which are copied.
func (c *Conn) AppendFieldBytes(dst, name, value []byte) []byte {
	if c.state&connWriting == 0 {
		return dst
	}
	return c.encoder.AppendLine(dst, name, value, false)
}

// AppendSensitive is AppendField for a field that is kept out of all tables (RFC 7541 §7.1.3).
func (c *Conn) AppendSensitive(dst []byte, name, value string) []byte {
	if c.state&connWriting == 0 {
		return dst
	}
	return c.encoder.AppendLine(dst, bytesOf(name), bytesOf(value), true)
}

// noteField remembers of a request what decides how its response is read.
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

// EndHeaders ends the header section that was begun.
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
	dst = frameBlock(dst, w.start, w.stream.id, flags, int(c.peer.frameSize))
	if endStream {
		c.endLocal(w.stream)
	}
	return dst
}

// frameBlock completes a HEADERS frame whose header stands at start and whose block is the rest of dst, in as many
// frames as a size of most bytes makes necessary.
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
	// From the last to the first, since each moves behind where it was.
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

// limitEncoder takes the table size that the peer allows.
func (c *Conn) limitEncoder(n uint32) {
	c.peer.tableSize = n
	if c.workspace != nil && c.writes {
		c.encoder.SetMaxTableSize(int(n))
	}
}
