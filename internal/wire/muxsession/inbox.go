package muxsession

import "encoding/binary"

// inbox holds the messages of a channel that were received and not taken yet. Small messages share a segment: each has two
// bytes of length, two bytes of its cost beyond the length, and the message. A larger message has a segment of its own,
// whose memory can be given to the reader.
type inbox struct {
	segs     []segment
	first    int // index of the first segment; those before it are empty
	messages int
}

// segment is a piece of an inbox.
type segment struct {
	b           []byte // from the pool, or a reader's buffer
	r           int    // read offset in b
	cost        int    // of a message with a segment of its own
	exempt      int    // the part of the message that does not count in the windows
	alone       bool
	readerOwned bool // b is a reader's buffer
}

const (
	packHead  = 4
	maxPacked = 2 << 10 // messages of at most this size share segments
	minPack   = 256
	maxPack   = 16 << 10
)

// add appends a copy of a small message.
func (q *inbox) add(mem Memory, p []byte, cost int) {
	need := packHead + len(p)
	var s *segment
	if n := len(q.segs); n > q.first && !q.segs[n-1].alone {
		if s = &q.segs[n-1]; len(s.b)+need > cap(s.b) {
			need = max(need, min(4*cap(s.b), maxPack))
			s = nil
		}
	}
	if s == nil {
		q.segs = append(q.segs, segment{b: mem.Get(max(need, minPack))[:0]})
		s = &q.segs[len(q.segs)-1]
	}
	s.b = binary.LittleEndian.AppendUint16(s.b, uint16(len(p)))
	s.b = binary.LittleEndian.AppendUint16(s.b, uint16(cost-len(p)))
	s.b = append(s.b, p...)
	q.messages++
}

// addAlone appends a message in a segment of its own. b becomes the inbox's unless it is readerOwned.
func (q *inbox) addAlone(b []byte, cost, exempt int, readerOwned bool) {
	q.segs = append(q.segs, segment{b: b, cost: cost, exempt: exempt, alone: true, readerOwned: readerOwned})
	q.messages++
}

// next returns the next message without removing it. There must be one. alone reports whether the memory of p may be given
// away.
func (q *inbox) next() (p []byte, cost, exempt int, alone bool) {
	s := &q.segs[q.first]
	if s.alone {
		return s.b, s.cost, s.exempt, !s.readerOwned
	}
	n := int(binary.LittleEndian.Uint16(s.b[s.r:]))
	cost = n + int(binary.LittleEndian.Uint16(s.b[s.r+2:]))
	p = s.b[s.r+packHead:]
	return p[:n:n], cost, 0, false
}

// drop removes the next message. It returns the memory of a segment to the pool, unless keep says that the caller has taken
// it.
func (q *inbox) drop(mem Memory, keep bool) {
	s := &q.segs[q.first]
	q.messages--
	if !s.alone {
		s.r += packHead + int(binary.LittleEndian.Uint16(s.b[s.r:]))
		if s.r < len(s.b) {
			return
		}
	}
	if s.alone && (keep || s.readerOwned) {
		s.b = nil
	}
	q.shift(mem)
}

// shift removes the first segment.
func (q *inbox) shift(mem Memory) {
	s := &q.segs[q.first]
	if s.b != nil {
		mem.Put(s.b)
	}
	*s = segment{}
	q.first++
	switch rest := len(q.segs) - q.first; {
	case rest == 0:
		q.segs, q.first = q.segs[:0], 0
		if cap(q.segs) > 16 {
			q.segs = nil
		}
	case q.first > 64 && q.first > rest:
		copy(q.segs, q.segs[q.first:])
		clear(q.segs[rest:])
		q.segs, q.first = q.segs[:rest], 0
	}
}
