package lenframe

import "encoding/binary"

// Parse reads the message at the start of b. It returns its payload, which is a part of b, and the number n of bytes that
// the message has in all; n is 0, with no error, if b does not hold all of it. A length of more than max is refused as soon
// as the header is complete; 0 allows any length. The error is an *Error.
func Parse(b []byte, max uint32) (p []byte, n int, err error) {
	if len(b) < HeaderSize {
		return nil, 0, nil
	}
	length := binary.BigEndian.Uint32(b)
	if length > max && max != 0 {
		return nil, 0, refuse(length, max)
	}
	if uint64(length) > uint64(len(b)-HeaderSize) { // an int of 32 bits may not hold the length
		return nil, 0, nil
	}
	n = HeaderSize + int(length)
	return b[HeaderSize:n:n], n, nil
}
