package streamsock

import (
	"encoding/binary"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/lenframe"
)

// line is what waits for a peer: messages behind their lengths, as lenframe writes them, in segments. Small ones stand in
// one segment, as many as fit; one that is large, shared or has a key has a segment to itself. The line knows nothing of
// connections: what is taken from it is on the wire.
type line struct {
	segs     []segment
	first    int // of segs: those before it are gone
	messages int
	bytes    int64 // of payload
	dropped  uint64
}

// segment is a part of a line.
type segment struct {
	b      []byte          // leased, unless
	shared *bufpool.Shared // whose the bytes are
	at     int             // of b: what is before it was dropped
	n      int             // messages in it
	text   bool
	sealed bool // nothing is packed into it any more
	key    string
}

const (
	firstRoom = 1 << 10    // of a segment of small messages, which grows up to
	mostRoom  = 64 << 10   // which is about what is sent at once
	packed    = 8 << 10    // a message of no more than so many bytes is small
	large     = nearWindow // one of so many is not gathered: it leaves from where it is
)

func (l *line) empty() bool { return l.messages == 0 }

// fits reports whether a message of n bytes finds room within the bounds. An empty line takes one of any size.
func (l *line) fits(n int, s *settings) bool {
	return l.messages == 0 || l.messages < s.QueueMessages && l.bytes+int64(n) <= s.QueueBytes
}

// note is a message to be sent.
type note struct {
	b      []byte          // payload
	shared *bufpool.Shared // the message behind its length, if others have it in their lines, too; held by who sends
	text   bool
	key    string
}

// segment returns a segment of m alone. Of what is shared the line is a holder.
func (m *note) segment() segment {
	s := segment{n: 1, text: m.text, key: m.key}
	if m.shared != nil {
		s.shared = m.shared.Retain()
		s.b = s.shared.Bytes()
	} else {
		s.b = lenframe.Append(bufpool.Get(lenframe.HeaderSize + len(m.b))[:0], m.b)
	}
	return s
}

// add puts m at the end; what is not shared is copied.
func (l *line) add(m *note) {
	l.messages++
	l.bytes += int64(len(m.b))
	if len(m.b) > packed || m.key != "" || m.shared != nil {
		l.segs = append(l.segs, m.segment())
		return
	}
	size := lenframe.HeaderSize + len(m.b)
	if last := len(l.segs) - 1; last >= l.first && l.segs[last].pack(m, size) {
		return
	}
	b := lenframe.Append(bufpool.Get(max(size, firstRoom))[:0], m.b)
	l.segs = append(l.segs, segment{b: b, n: 1, text: m.text})
}

// pack adds a small message of size bytes to a segment of small ones, if there is room.
func (s *segment) pack(m *note, size int) bool {
	if s.sealed || s.shared != nil || s.key != "" || s.text != m.text || len(s.b)+size > mostRoom {
		return false
	}
	if n := len(s.b); n+size > cap(s.b) {
		s.b = bufpool.Grow(s.b, min(max(n+size, 4*cap(s.b)), mostRoom))[:n]
	}
	s.b = lenframe.Append(s.b, m.b)
	s.n++
	return true
}

// addFirst puts m before all others.
func (l *line) addFirst(m *note) {
	l.messages++
	l.bytes += int64(len(m.b))
	if l.first == 0 {
		l.segs = append(l.segs, segment{})
		copy(l.segs[1:], l.segs)
		l.first = 1
	}
	l.first--
	l.segs[l.first] = m.segment()
}

// replace has the message with m's key, if one waits, give its place to m, and reports whether it did.
func (l *line) replace(m *note) bool {
	for i := l.first; i < len(l.segs); i++ {
		s := &l.segs[i]
		if s.key != m.key {
			continue
		}
		l.bytes += int64(len(m.b)) - s.payload()
		s.free()
		*s = m.segment()
		l.dropped++
		return true
	}
	return false
}

// drop drops the message that has waited longest.
func (l *line) drop() {
	s := &l.segs[l.first]
	size := int(binary.BigEndian.Uint32(s.b[s.at:]))
	s.at += lenframe.HeaderSize + size
	s.n--
	l.messages--
	l.bytes -= int64(size)
	l.dropped++
	if s.n == 0 {
		s.free()
		l.shift()
	}
}

// take takes the first segment.
func (l *line) take() segment {
	s := l.segs[l.first]
	l.shift()
	l.messages -= s.n
	l.bytes -= s.payload()
	return s
}

// seal has what is added from now on stand in other segments.
func (l *line) seal() {
	if n := len(l.segs); n > l.first {
		l.segs[n-1].sealed = true
	}
}

// shift forgets the first segment.
func (l *line) shift() {
	l.segs[l.first] = segment{}
	l.first++
	switch rest := len(l.segs) - l.first; {
	case rest == 0:
		l.segs, l.first = l.segs[:0], 0
	case l.first > 64 && l.first > rest:
		copy(l.segs, l.segs[l.first:])
		clear(l.segs[rest:])
		l.segs, l.first = l.segs[:rest], 0
	}
}

// clear drops everything.
func (l *line) clear() {
	for l.first < len(l.segs) {
		s := l.take()
		l.dropped += uint64(s.n)
		s.free()
	}
	l.segs = nil
}

// payload returns how many bytes of payload s has.
func (s *segment) payload() int64 { return int64(len(s.b) - s.at - s.n*lenframe.HeaderSize) }

func (s *segment) free() {
	if s.shared != nil {
		s.shared.Release()
	} else {
		bufpool.Put(s.b)
	}
}
