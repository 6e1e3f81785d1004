package muxframe

// Measure returns the header fields of the frame at the front of b and its size including the payload. b must have been
// written by the Append functions.
func Measure(b []byte) (t Type, f Flags, channel uint32, size int) {
	t, f = Type(b[0]>>4), Flags(b[0]&15)
	if t == Data {
		if b[1] < 0x80 && b[2] < 0x80 {
			return t, f, uint32(b[1]), 3 + int(b[2])
		}
		ch, n := varint(b[1:], MaxChannel)
		length, k := varint(b[1+n:], MaxData)
		return t, f, uint32(ch), 1 + n + k + int(length)
	}
	var r Reader
	var fr Frame
	size, _ = r.Next(b, &fr)
	return t, f, fr.Channel, size
}

// SetVoid sets Void in the DATA frame at the front of b.
func SetVoid(b []byte) { b[0] |= byte(Void) }
