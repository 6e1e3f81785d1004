package hpack

// The first bits of a field representation (RFC 7541 §6).
const (
	indexedBit  = 0x80 // §6.1
	literalBit  = 0x40 // §6.2.1, added to the table
	updateBit   = 0x20 // §6.3
	neverBit    = 0x10 // §6.2.3; without it §6.2.2
	indexedMask = 0x7F
	literalMask = 0x3F
	updateMask  = 0x1F
	otherMask   = 0x0F
)

// parse decodes the complete fields in b and returns the rest of b.
func (d *Decoder) parse(b []byte, fields []Field) ([]byte, []Field, error) {
	if d.block.drop.active {
		rest, err := d.continueDrop(b)
		if err != nil || d.block.drop.active {
			return rest, fields, err
		}
		b = rest
	}
	for len(b) > 0 {
		var n int
		var err error
		switch c := b[0]; {
		case c&indexedBit != 0:
			n, fields, err = d.indexed(b, fields)
		case c&^updateMask == updateBit:
			n, err = d.update(b)
		default:
			n, fields, err = d.literal(b, fields)
		}
		if err != nil || n == 0 {
			return b, fields, err
		}
		b = b[n:]
	}
	return b, fields, nil
}

// indexed decodes a run of indexed fields (RFC 7541 §6.1) and returns the number of their bytes: 0 if the first is
// incomplete.
func (d *Decoder) indexed(b []byte, fields []Field) (n int, _ []Field, err error) {
	if err := d.fieldBegins(); err != nil {
		return 0, fields, err
	}
	t, s := &d.table, &d.block
	left, fieldsLeft := s.listLeft, s.fieldsLeft
	for n < len(b) && b[n]&indexedBit != 0 {
		i, size := int(b[n]&indexedMask), 1
		if i == indexedMask {
			if i, size, err = readIntMore(b[n:], indexedMask); err != nil || size == 0 {
				break
			}
		}
		var e *tableEntry
		if at := i - staticLen - 1; uint(at) < uint(t.n) {
			e = t.at(at)
		} else if e, err = staticEntry(i); err != nil {
			break
		}
		n += size
		if left -= len(e.name) + len(e.value) + overhead; left < 0 || fieldsLeft == 0 {
			s.exceed()
			left, fieldsLeft = 0, 0
			continue
		}
		fieldsLeft--
		fields = appendField(fields, e.name, e.value, false)
	}
	s.listLeft, s.fieldsLeft = left, fieldsLeft
	return n, fields, err
}

// staticEntry returns entry i of the static table. i must not be an index of the dynamic table.
func staticEntry(i int) (*tableEntry, error) {
	if i > staticLen {
		return nil, errIndex
	}
	if i == 0 {
		return nil, errIndexZero
	}
	return &staticTable[i], nil
}

// count counts a field whose name and value have n bytes, and reports whether it is within the limits.
func (s *blockState) count(n int) bool {
	if s.listLeft -= n + overhead; s.listLeft < 0 || s.fieldsLeft == 0 {
		s.exceed()
		return false
	}
	s.fieldsLeft--
	return true
}

// exceed records that a limit is exceeded: no more fields are returned.
func (s *blockState) exceed() { s.exceeded, s.listLeft, s.fieldsLeft = true, 0, 0 }

// fieldBegins checks that a field may come here, and records that one has.
func (d *Decoder) fieldBegins() error {
	if d.updateDue {
		return errUpdateMissing
	}
	d.block.inFields = true
	return nil
}

// update decodes a dynamic table size update (RFC 7541 §6.3). There may be several (§4.2).
func (d *Decoder) update(b []byte) (n int, err error) {
	if d.block.inFields {
		return 0, errUpdateLate
	}
	size, n, err := readInt(b, updateMask)
	if err != nil || n == 0 {
		return 0, err
	}
	if size > d.allowed || d.updateDue && size > d.updateMost {
		return 0, errUpdateSize
	}
	d.updateDue = false
	d.table.resize(size)
	return n, nil
}
