package hpack

import (
	"encoding/binary"
	"errors"
)

// errInBlock and errState are the errors of AppendBinary and UnmarshalBinary.
var (
	errInBlock = errors.New("hpack: the state of a decoder within a block or after an error")
	errState   = errors.New("hpack: malformed state of a decoder")
)

// AppendBinary implements encoding.BinaryAppender. It appends the state that the next block needs, in as little memory as
// possible: the sizes and the entries of the dynamic table. It is for connections that are idle for a while. It must be
// called between blocks; within one, and after an error, it fails.
func (d *Decoder) AppendBinary(p []byte) ([]byte, error) {
	if d.err != nil {
		return p, d.err
	}
	if d.block.open {
		return p, errInBlock
	}
	d.prepare()
	t := &d.table
	if p == nil {
		p = make([]byte, 0, stateLen(t))
	}
	p = binary.AppendUvarint(p, uint64(t.max))
	p = binary.AppendUvarint(p, uint64(d.allowed))
	if d.updateDue {
		p = binary.AppendUvarint(append(p, 1), uint64(d.updateMost))
	} else {
		p = append(p, 0)
	}
	p = binary.AppendUvarint(p, uint64(t.n))
	for i := t.n - 1; i >= 0; i-- { // oldest first
		e := t.at(i)
		name := bytesOf(e.name)
		static := findStatic(hash(0, name), name)
		p = binary.AppendUvarint(p, uint64(static))
		if static == 0 {
			p = append(binary.AppendUvarint(p, uint64(len(name))), name...)
		}
		p = append(binary.AppendUvarint(p, uint64(len(e.value))), e.value...)
	}
	return p, nil
}

// stateLen estimates the length of a state. It is enough for most.
func stateLen(t *decoderTable) int {
	n := 4*binary.MaxVarintLen32 + 1
	for i := range t.n {
		e := t.at(i)
		n += len(e.value) + 2
		if name := bytesOf(e.name); findStatic(hash(0, name), name) == 0 {
			n += len(name) + 2
		}
	}
	return n
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. It restores the state that AppendBinary has appended in another
// Decoder of this version of the package. d must be a zero Decoder, or one after Reset; its limits may be set. p is not
// kept. After an error d must not be used.
func (d *Decoder) UnmarshalBinary(p []byte) error {
	s := stateReader{p: p}
	d.ready = true
	d.table.max = s.size()
	d.allowed = s.size()
	if d.updateDue = s.size() > 0; d.updateDue {
		d.updateMost = s.size()
	}
	for n := s.size(); n > 0 && !s.bad; n-- {
		var name string
		if static := s.size(); static > staticLen {
			s.bad = true
		} else if static > 0 {
			name = staticTable[static].name
		} else {
			name = d.kept.Text(s.text())
		}
		d.table.insert(name, d.kept.Text(s.text()))
	}
	if s.bad || len(s.p) > 0 {
		return errState
	}
	return nil
}

// stateReader reads a state. bad is set at the first thing that no state has.
type stateReader struct {
	p   []byte
	bad bool
}

func (s *stateReader) size() int {
	v, n := binary.Uvarint(s.p)
	if n <= 0 || v > maxValue {
		s.p, s.bad = nil, true
		return 0
	}
	s.p = s.p[n:]
	return int(v)
}

func (s *stateReader) text() []byte {
	n := s.size()
	if n > len(s.p) {
		s.p, s.bad = nil, true
		return nil
	}
	t := s.p[:n]
	s.p = s.p[n:]
	return t
}
