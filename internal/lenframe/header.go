package lenframe

import "encoding/binary"

const (
	// HeaderSize is the number of bytes before each payload.
	HeaderSize = 4
	// MaxLength is the number of bytes that a payload may have at most: what four bytes can say.
	MaxLength = 1<<32 - 1
)

// AppendHeader appends the header of a message of n bytes, and returns the longer slice. It panics if no header can say
// n, which is negative or more than MaxLength: ask Check first.
func AppendHeader(dst []byte, n int) []byte {
	if uint64(n) > MaxLength {
		panic("lenframe: a length that no header can say")
	}
	return binary.BigEndian.AppendUint32(dst, uint32(n))
}

// Append appends p as a message, header and payload, and returns the longer slice. It panics if p has more than MaxLength
// bytes: ask Check first.
func Append(dst, p []byte) []byte { return append(AppendHeader(dst, len(p)), p...) }
