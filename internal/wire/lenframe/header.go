package lenframe

import "encoding/binary"

const (
	// HeaderSize is the number of bytes before each payload.
	HeaderSize = 4
	// MaxLength is the maximum payload size: the largest number of four bytes.
	MaxLength = 1<<32 - 1
)

// AppendHeader appends the header of a message of n bytes and returns the extended slice. It panics if n is negative or more
// than MaxLength: call Check before.
func AppendHeader(dst []byte, n int) []byte {
	if uint64(n) > MaxLength {
		panic("lenframe: a length that no header can say")
	}
	return binary.BigEndian.AppendUint32(dst, uint32(n))
}

// Append appends p as a message, header and payload, and returns the extended slice. It panics if p has more than MaxLength
// bytes: call Check before.
func Append(dst, p []byte) []byte { return append(AppendHeader(dst, len(p)), p...) }
