package lenframe

import "encoding/binary"

// Parse reads the message at the start of b and returns its payload, which is a part of b, and the number of bytes that
// it took; n is 0, with no error, while the message is not whole. A length of more than max is refused once the header
// is there, before anything else of the message; 0 allows any length. The error is an *Error.
func Parse(b []byte, max uint32) (p []byte, n int, err error) {
	if len(b) < HeaderSize {
		return nil, 0, nil
	}
	length := binary.BigEndian.Uint32(b)
	if length > max && max != 0 {
		return nil, 0, refuse(length, max)
	}
	if uint64(length) > uint64(len(b)-HeaderSize) { // an int of 32 bits may not count it
		return nil, 0, nil
	}
	n = HeaderSize + int(length)
	return b[HeaderSize:n:n], n, nil
}
