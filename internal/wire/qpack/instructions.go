package qpack

// The first bits of the instructions (RFC 9204 §4.3, §4.4).
const (
	insertRefBit   = 0x80 // §4.3.2
	insertBit      = 0x40 // §4.3.3
	capacityBit    = 0x20 // §4.3.1; without it §4.3.4, which duplicates an entry
	capacityMask   = 0x1F
	acknowledgeBit = 0x80 // §4.4.1
	cancelBit      = 0x40 // §4.4.2; without it §4.4.3, which acknowledges entries
	cancelMask     = 0x3F
)

// EncoderStream reads the instructions of a peer's encoder (RFC 9204 §4.3). The only one that it may send is that the table has
// 0 bytes: all others would need a table.
type EncoderStream struct{}

// Read reads what has arrived.
func (EncoderStream) Read(b []byte) error {
	for _, c := range b {
		switch {
		case c&(insertRefBit|insertBit) != 0, c&capacityBit == 0:
			return errInsert
		case c&capacityMask != 0:
			return errCapacity
		}
	}
	return nil
}

// DecoderStream reads the instructions of a peer's decoder (RFC 9204 §4.4). It may only tell that it does not read a stream to
// its end, which means nothing without a table. The zero value is ready for use.
type DecoderStream struct {
	more  int // bytes of a stream's identifier so far, the first included; 0 outside of one
	value uint64
}

// Read reads what has arrived, which may be cut at any byte.
func (s *DecoderStream) Read(b []byte) error {
	for _, c := range b {
		switch {
		case s.more > 0:
			if err := s.continueID(c); err != nil {
				return err
			}
		case c&acknowledgeBit != 0:
			return errAcknowledge
		case c&cancelBit == 0:
			return errIncrement
		case c&cancelMask == cancelMask:
			s.more, s.value = 1, cancelMask
		}
	}
	return nil
}

// continueID reads the next byte of a stream's identifier.
func (s *DecoderStream) continueID(c byte) error {
	if s.more > maxMore {
		return errStreamID
	}
	s.value += uint64(c&^moreBit) << (7 * (s.more - 1))
	if s.value > maxValue {
		return errStreamID
	}
	if s.more++; c&moreBit == 0 {
		s.more = 0
	}
	return nil
}
