package h3frame

// Message reads the frames of a request stream, in one direction (RFC 9114 §4.1):
//
//	HEADERS (a head) ─► DATA… ─► HEADERS (a trailer) ─► the end of the stream
//
// Frames of unknown types may stand anywhere. A client reads several heads: those of interim responses, then the final one; it
// says by Interim which is no final one. The zero value reads a request with limits of 0: Reset sets them.
type Message struct {
	at       messageState
	frame    Type
	left     uint64 // bytes of the frame's payload that have not been read
	inFrame  bool
	tooLarge bool   // the section is longer than maxSection: its payload is passed over
	max      uint64 // of a section's payload
	content  int64  // bytes of content that are still to come; -1: unknown
	began    bool   // a frame has begun
	idle     int    // frames that brought nothing: of unknown types, or DATA without bytes
}

type messageState uint8

const (
	beforeHead messageState = iota
	inContent
	afterTrailer
)

// Reset makes m ready for another stream. A section may have maxSection bytes in its encoded form.
func (m *Message) Reset(maxSection int) {
	*m = Message{max: uint64(max(maxSection, 0)), content: -1}
}

// Kind is what a Part is.
type Kind uint8

// The kinds of parts.
const (
	Nothing  Kind = iota // more bytes are needed: for a section as many as Need says
	Section              // Bytes is the whole payload of a HEADERS frame
	TooLarge             // a section is larger than allowed; what follows is passed over
	Content              // Bytes is content, not empty
	Skipped              // bytes that mean nothing
	Session              // the stream belongs to WebTransport: the bytes behind are the session's identifier, and then its own
)

// Part is what was read.
type Part struct {
	Kind    Kind
	Bytes   []byte // a part of what was given
	Need    int    // with Nothing: how many bytes, counted from the first that was given, the caller must have, at least
	Trailer bool   // the section is a trailer section
}

// Next reads what b begins with. n is how many bytes of b are done with: the next call begins behind them.
func (m *Message) Next(b []byte) (p Part, n int, err *Error) {
	if !m.inFrame {
		t, length, size := header(b)
		if size == 0 {
			if kind, a := Varint(b); a > 0 && Type(kind) == WebTransport {
				return m.session(a)
			}
			return Part{Need: len(b) + 1}, 0, nil
		}
		if t == WebTransport {
			_, a := Varint(b)
			return m.session(a)
		}
		if err := m.begin(t, length); err != nil {
			return p, 0, err
		}
		if t != Headers || m.tooLarge {
			m.inFrame = length > 0
		} else if uint64(len(b)-size) < length { // the header is read again when the payload is whole
			return Part{Need: size + int(length)}, 0, nil
		}
		n, b = size, b[size:]
		m.frame, m.left = t, length
		if t == Headers && m.tooLarge {
			p = Part{Kind: TooLarge, Trailer: m.at == inContent}
			m.section()
			return p, n, nil
		}
	}
	take := int(min(m.left, uint64(len(b))))
	p.Bytes = b[:take:take]
	m.left -= uint64(take)
	m.inFrame = m.left > 0
	switch {
	case m.frame == Headers && !m.tooLarge:
		p.Kind, p.Trailer = Section, m.at == inContent
		m.section()
	case m.frame == Data && take > 0:
		p.Kind = Content
		err = m.count(take)
	case n+take > 0:
		p.Kind, p.Bytes = Skipped, nil
	default:
		return Part{Need: 1}, 0, nil
	}
	if !m.inFrame {
		m.tooLarge = false
	}
	return p, n + take, err
}

// begin checks that a frame may come here.
func (m *Message) begin(t Type, length uint64) *Error {
	m.began = true
	switch {
	case t == Data:
		switch m.at {
		case beforeHead:
			return errDataFirst
		case afterTrailer:
			return errAfterTrailer
		}
		if length == 0 {
			m.idle++
		} else if m.content >= 0 && length > uint64(m.content) {
			return errTooMuch
		}
	case t == Headers:
		if m.at == afterTrailer {
			return errAfterTrailer
		}
		m.tooLarge = length > m.max
	case t == PushPromise:
		return errPush
	case t == CancelPush, t == Settings, t == GoAway, t == MaxPushID, t == PriorityUpdateRequest, t == PriorityUpdatePush:
		return errOnRequest
	case t.isHTTP2():
		return errHTTP2Type
	default:
		m.idle++
	}
	return nil
}

// session is Next for WebTransport's signal, of a bytes.
func (m *Message) session(a int) (Part, int, *Error) {
	if m.began {
		return Part{}, 0, errWebTransport
	}
	return Part{Kind: Session}, a, nil
}

// section notes that a section was read.
func (m *Message) section() {
	if m.at == inContent {
		m.at = afterTrailer
	} else {
		m.at = inContent
	}
}

// Interim is called behind a section that is the head of an interim response: another head follows.
func (m *Message) Interim() { m.at = beforeHead }

// Expect says how many bytes of content the message has, by its head; -1 if that is unknown.
func (m *Message) Expect(length int64) { m.content = length }

// count counts n bytes of content.
func (m *Message) count(n int) *Error {
	if m.content < 0 {
		return nil
	}
	if m.content -= int64(n); m.content < 0 {
		return errTooMuch
	}
	return nil
}

// End is called at the end of the stream, when nothing is left unread. It returns what is wrong with an end here.
func (m *Message) End() *Error {
	switch {
	case m.inFrame:
		return errCut
	case m.at == beforeHead:
		return errNoHead
	case m.content > 0:
		return errTooLittle
	}
	return nil
}

// Cut is End with bytes left over that are no whole frame.
func (m *Message) Cut() *Error { return errCut }

// Idle returns how many frames have brought nothing, and counts anew.
func (m *Message) Idle() int {
	n := m.idle
	m.idle = 0
	return n
}

// Left returns how many bytes of content the current frame still has.
func (m *Message) Left() uint64 {
	if m.inFrame && m.frame == Data {
		return m.left
	}
	return 0
}

// Took notes that n bytes of content, of the current frame's Left, were read elsewhere.
func (m *Message) Took(n int) *Error {
	m.left -= uint64(n)
	m.inFrame = m.left > 0
	return m.count(n)
}
