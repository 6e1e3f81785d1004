package http2

import "encoding/binary"

// AppendHeaders appends a header section: a request, an informational or final response, or trailers. It uses one HEADERS
// frame, and CONTINUATION frames as the peer's SETTINGS_MAX_FRAME_SIZE requires. The owner must put pseudo-fields first,
// use lower-case names and leave out connection-specific fields (see ValidField). endStream ends our message. If the
// stream cannot send any more, only pending frames are appended.
func (c *Conn) AppendHeaders(dst []byte, s *Stream, fields []Field, endStream bool) []byte {
	w := &c.use().send
	dst = w.begin(dst, s)
	if w.stream == nil {
		return dst
	}
	for i := range fields {
		w.note(fields[i].Name, fields[i].Value)
	}
	dst = w.encoder.AppendBlock(dst, fields)
	return w.end(dst, endStream)
}

// BeginHeaders begins a header section. Its fields are appended one by one with AppendStatus, AppendField and
// AppendSensitive, up to EndHeaders. Meanwhile nothing else may be appended to dst, and each call must be given the
// result of the one before. A header section that was begun must be ended, unless the connection is given up. If the
// stream cannot send any more, these methods append only pending frames.
func (c *Conn) BeginHeaders(dst []byte, s *Stream) []byte { return c.use().send.begin(dst, s) }

// writing returns the sender while a header section is being appended, nil otherwise.
func (c *Conn) writing() *sender {
	if c.work == nil || c.work.send.stream == nil {
		return nil
	}
	return &c.work.send
}

// AppendStatus appends the :status of a response, a number of three digits. It must come first.
func (c *Conn) AppendStatus(dst []byte, status int) []byte {
	w := c.writing()
	if w == nil {
		return dst
	}
	digits := [3]byte{byte('0' + status/100%10), byte('0' + status/10%10), byte('0' + status%10)}
	return w.add(dst, statusName, digits[:], false)
}

var statusName = []byte(":status")

// AppendField appends a field to the header section.
func (c *Conn) AppendField(dst []byte, name, value string) []byte {
	w := c.writing()
	if w == nil {
		return dst
	}
	w.note(name, value)
	return w.add(dst, bytesOf(name), bytesOf(value), false)
}

// AppendFieldBytes is AppendField for byte slices, which are not kept.
func (c *Conn) AppendFieldBytes(dst, name, value []byte) []byte {
	w := c.writing()
	if w == nil {
		return dst
	}
	return w.add(dst, name, value, false)
}

// AppendSensitive is AppendField for a field that is kept out of all compression tables (RFC 7541 §7.1.3).
func (c *Conn) AppendSensitive(dst []byte, name, value string) []byte {
	w := c.writing()
	if w == nil {
		return dst
	}
	return w.add(dst, bytesOf(name), bytesOf(value), true)
}

// CheckHeaders returns ErrHeadersTooLarge if the header section that is being appended is larger than the peer accepts, as
// far as it has said so (SETTINGS_MAX_HEADER_LIST_SIZE, RFC 9113 §10.5.1). Then the section is taken back: nothing of it is
// sent, and the stream is as it was before BeginHeaders. An owner that does not call it sends sections of any size, as
// AppendHeaders does.
func (c *Conn) CheckHeaders(dst []byte) ([]byte, error) {
	w := c.writing()
	if w == nil || w.size <= c.core.peer.MaxHeaderList {
		return dst, nil
	}
	return w.drop(dst), ErrHeadersTooLarge
}

// EndHeaders ends the header section. endStream ends our message.
func (c *Conn) EndHeaders(dst []byte, endStream bool) []byte {
	w := c.writing()
	if w == nil {
		return dst
	}
	return w.end(dst, endStream)
}

// AppendData appends as much of p as the windows let through, in as many DATA frames as that takes, and returns how many
// bytes that was. endStream ends our message after the last byte of p; if p is empty, that needs no window. If the stream
// is marked ready, NextSender returns it when the rest can be sent.
func (c *Conn) AppendData(dst []byte, s *Stream, p []byte, endStream bool, now int64) ([]byte, int) {
	k := &c.core
	k.now = now
	dst = k.appendPending(dst)
	n := 0
	for {
		var sent int
		var ended bool
		dst, sent, ended = k.appendDataHeader(dst, s, len(p)-n, endStream)
		dst = append(dst, p[n:n+sent]...)
		n += sent
		if ended || sent == 0 || n == len(p) {
			return dst, n
		}
	}
}

// AppendPriorityUpdate appends a PRIORITY_UPDATE frame for a stream that a client has opened (RFC 9218 §7.1).
func (c *Conn) AppendPriorityUpdate(dst []byte, s *Stream, p PriorityParams) []byte {
	dst = c.AppendPending(dst)
	if c.core.err != nil || !c.core.client || s.phase.closed() || s.phase == phaseIdle {
		return dst
	}
	start := len(dst)
	dst = FrameHeader{Type: FramePriorityUpdate}.Append(dst)
	dst = binary.BigEndian.AppendUint32(dst, s.id)
	dst = p.Append(dst)
	dst[start+2] = byte(len(dst) - start - FrameHeaderLen)
	c.core.sched.setPriority(s, p)
	return dst
}
