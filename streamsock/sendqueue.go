package streamsock

import (
	"encoding/binary"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
)

// sendQueue holds the messages that wait to be sent to a peer, in segments that lenframe has encoded. Small messages share a
// segment; a message that is large, shared or has a key has its own. The queue is independent of connections: what is taken
// from it must be sent. Package backlog has lines of frames that are ready for one connection; here many messages share a buffer,
// in no connection's format yet.
type sendQueue struct {
	segs     []segment
	first    int // index of the first segment; those before it are empty
	messages int
	bytes    int64 // of payload
	dropped  int64
}

// segment is a part of a sendQueue.
type segment struct {
	b      []byte          // from the pool, unless shared is set
	shared *bufpool.Shared // b is its content
	at     int             // offset of the first message in b; those before it were dropped
	n      int             // number of messages
	text   bool
	sealed bool // nothing more is packed into it
	key    string
}

const (
	minSegment = 1 << 10    // initial size of a segment of small messages
	maxSegment = 64 << 10   // its largest size, about what is sent at once
	maxPacked  = 8 << 10    // messages of at most this size are small
	large      = nearWindow // messages of at least this size are not gathered but sent from where they are
)

func (l *sendQueue) empty() bool { return l.messages == 0 }

// fits reports whether a message of n bytes is within the limits. An empty queue takes a message of any size.
func (l *sendQueue) fits(n, maxMessages int, maxBytes int64) bool {
	return l.messages == 0 || l.messages < maxMessages && l.bytes+int64(n) <= maxBytes
}

// outMsg is a message to be sent.
type outMsg struct {
	b      []byte          // payload
	shared *bufpool.Shared // the encoded message if it is in several queues; the sender holds a reference
	text   bool
	key    string
}

// segment returns a segment with m alone. It takes a reference to a shared message.
func (m *outMsg) segment() segment {
	s := segment{n: 1, text: m.text, key: m.key}
	if m.shared != nil {
		s.shared = m.shared.Retain()
		s.b = s.shared.Bytes()
	} else {
		s.b = lenframe.Append(bufpool.Get(lenframe.HeaderSize + len(m.b))[:0], m.b)
	}
	return s
}

// add appends m. It copies the payload unless that is shared.
func (l *sendQueue) add(m *outMsg) {
	l.messages++
	l.bytes += int64(len(m.b))
	if len(m.b) > maxPacked || m.key != "" || m.shared != nil {
		l.segs = append(l.segs, m.segment())
		return
	}
	size := lenframe.HeaderSize + len(m.b)
	if last := len(l.segs) - 1; last >= l.first && l.segs[last].pack(m, size) {
		return
	}
	b := lenframe.Append(bufpool.Get(max(size, minSegment))[:0], m.b)
	l.segs = append(l.segs, segment{b: b, n: 1, text: m.text})
}

// pack adds a small message, size bytes with its header, to a segment of small messages. It reports false if that is not
// possible.
func (s *segment) pack(m *outMsg, size int) bool {
	if s.sealed || s.shared != nil || s.key != "" || s.text != m.text || len(s.b)+size > maxSegment {
		return false
	}
	if n := len(s.b); n+size > cap(s.b) {
		s.b = bufpool.Grow(s.b, min(max(n+size, 4*cap(s.b)), maxSegment))[:n]
	}
	s.b = lenframe.Append(s.b, m.b)
	s.n++
	return true
}

// addFirst puts m at the front.
func (l *sendQueue) addFirst(m *outMsg) {
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

// replace replaces the queued message that has m's key, and reports whether it did. If there is no room for the difference, it
// drops that message: m is then to be added like any other.
func (l *sendQueue) replace(m *outMsg, maxBytes int64) bool {
	for i := l.first; i < len(l.segs); i++ {
		s := &l.segs[i]
		if s.key != m.key {
			continue
		}
		l.bytes -= s.payload()
		l.dropped++
		s.free()
		if l.messages == 1 || l.bytes+int64(len(m.b)) <= maxBytes {
			l.bytes += int64(len(m.b))
			*s = m.segment()
			return true
		}
		l.messages--
		copy(l.segs[l.first+1:i+1], l.segs[l.first:i])
		l.shift()
		return false
	}
	return false
}

// drop drops the oldest message.
func (l *sendQueue) drop() {
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

// take removes and returns the first segment.
func (l *sendQueue) take() segment {
	s := l.segs[l.first]
	l.shift()
	l.messages -= s.n
	l.bytes -= s.payload()
	return s
}

// seal prevents later messages from being packed into the last segment.
func (l *sendQueue) seal() {
	if n := len(l.segs); n > l.first {
		l.segs[n-1].sealed = true
	}
}

// shift removes the first segment.
func (l *sendQueue) shift() {
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

// clear drops all messages.
func (l *sendQueue) clear() {
	for l.first < len(l.segs) {
		s := l.take()
		l.dropped += int64(s.n)
		s.free()
	}
	l.segs = nil
}

// payload returns the payload bytes of s.
func (s *segment) payload() int64 { return int64(len(s.b) - s.at - s.n*lenframe.HeaderSize) }

func (s *segment) free() {
	if s.shared != nil {
		s.shared.Release()
	} else {
		bufpool.Put(s.b)
	}
}
