package muxsession

import "encoding/binary"

// inbox holds the messages of a channel that have come whole and that nobody has taken. Small ones stand in one segment,
// one behind the other: two bytes of length, two of what they count for besides it, and the message. Others have a segment
// to themselves, which is theirs to give away.
type inbox struct {
	segs     []segment
	first    int // of segs: those before it are gone
	messages int
}

// segment is a piece of an inbox.
type segment struct {
	b      []byte // leased, or a reader's
	r      int    // of b: what is before it has been taken
	cost   int    // of a message that has the segment to itself
	exempt int    // of that: what does not count for the windows
	alone  bool
	lent   bool // b is a reader's
}

const (
	packHead  = 4
	packed    = 2 << 10 // a message of no more than so many bytes stands with others
	firstPack = 256
	mostPack  = 16 << 10
)

// add puts a message at the end, which is copied. It is for small ones.
func (q *inbox) add(mem Memory, p []byte, cost int) {
	need := packHead + len(p)
	var s *segment
	if n := len(q.segs); n > q.first && !q.segs[n-1].alone {
		if s = &q.segs[n-1]; len(s.b)+need > cap(s.b) {
			need = max(need, min(4*cap(s.b), mostPack))
			s = nil
		}
	}
	if s == nil {
		q.segs = append(q.segs, segment{b: mem.Get(max(need, firstPack))[:0]})
		s = &q.segs[len(q.segs)-1]
	}
	s.b = binary.LittleEndian.AppendUint16(s.b, uint16(len(p)))
	s.b = binary.LittleEndian.AppendUint16(s.b, uint16(cost-len(p)))
	s.b = append(s.b, p...)
	q.messages++
}

// addAlone puts a message at the end whose memory becomes the inbox's, or is a reader's.
func (q *inbox) addAlone(b []byte, cost, exempt int, lent bool) {
	q.segs = append(q.segs, segment{b: b, cost: cost, exempt: exempt, alone: true, lent: lent})
	q.messages++
}

// next returns the next message, which stays. There must be one. alone says that its memory may be given away.
func (q *inbox) next() (p []byte, cost, exempt int, alone bool) {
	s := &q.segs[q.first]
	if s.alone {
		return s.b, s.cost, s.exempt, !s.lent
	}
	n := int(binary.LittleEndian.Uint16(s.b[s.r:]))
	cost = n + int(binary.LittleEndian.Uint16(s.b[s.r+2:]))
	p = s.b[s.r+packHead:]
	return p[:n:n], cost, 0, false
}

// drop drops the next message. Memory that is the message's alone is given back unless keep says that it has gone.
func (q *inbox) drop(mem Memory, keep bool) {
	s := &q.segs[q.first]
	q.messages--
	if !s.alone {
		s.r += packHead + int(binary.LittleEndian.Uint16(s.b[s.r:]))
		if s.r < len(s.b) {
			return
		}
	}
	if s.alone && (keep || s.lent) {
		s.b = nil
	}
	q.shift(mem)
}

// shift forgets the first segment.
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
