// Package frame has the messages of a call as they are on the wire: each is preceded by one byte of flags and four of
// length ("Length-Prefixed-Message" of the gRPC protocol; the Connect protocol calls it an envelope).
package frame

import (
	"encoding/binary"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// HeadSize is how many bytes precede a message.
const HeadSize = 5

// Compressed is the flag of a message that is compressed. Other flags belong to the protocols that define them.
const Compressed = 1

// putHead writes the head of a message of n bytes to h.
func putHead(h []byte, flags byte, n int) {
	h[0] = flags
	binary.BigEndian.PutUint32(h[1:], uint32(n))
}

// parseHead parses the head of a message. It needs HeadSize bytes.
func parseHead(h []byte) (flags byte, n int64) {
	return h[0], int64(binary.BigEndian.Uint32(h[1:]))
}

// Split parses b, which is one whole message. Its error is a status: Unimplemented if b is empty or more than one
// message, ResourceExhausted if the message is longer than most, Internal if it is cut short.
func Split(b []byte, most int) (flags byte, p []byte, err error) {
	if len(b) == 0 {
		return 0, nil, ErrNoMessage
	}
	if len(b) < HeadSize {
		return 0, nil, errCut
	}
	flags, n := parseHead(b)
	p = b[HeadSize:]
	switch {
	case n > int64(most):
		return 0, nil, TooLong(n, most)
	case int64(len(p)) < n:
		return 0, nil, errCut
	case int64(len(p)) > n:
		return 0, nil, ErrMoreMessages
	}
	return flags, p, nil
}

// ErrNoMessage and ErrMoreMessages are the statuses of a call that has one message by its kind, but sent none or several.
var (
	ErrNoMessage    = status.Error(codes.Unimplemented, "grpc: no message was received, want one")
	ErrMoreMessages = status.Error(codes.Unimplemented, "grpc: more than one message was received, want one")
)

var errCut = status.Error(codes.Internal, "grpc: the stream ended within a message")

// TooLong returns the status of a received message of n bytes, of which at most most are allowed.
func TooLong(n int64, most int) error {
	return status.Errorf(codes.ResourceExhausted, "grpc: received message of %d bytes is larger than the limit of %d", n, most)
}
