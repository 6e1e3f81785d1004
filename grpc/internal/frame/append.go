package frame

import (
	"math"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/status"

	"github.com/shockwave-go/shockwave/grpc/internal/codec"
)

// Sizes are the sizes of a message's encoding.
type Sizes struct {
	Plain int // before compression
	Sent  int // as sent, without the HeadSize bytes before it
}

// Append appends the encoding of v as one message, compressed by comp if comp is not nil and there is anything to
// compress. If it is longer than most, Append returns dst and the status ResourceExhausted.
func Append(dst []byte, v any, c codec.Codec, comp encoding.Compressor, most int) ([]byte, Sizes, error) {
	start := len(dst)
	b := append(dst, 0, 0, 0, 0, 0)
	b, err := AppendPayload(b, v, c)
	if err != nil {
		return b[:start], Sizes{}, err
	}
	return appendHead(b, start, 0, comp, most)
}

// AppendRaw appends p as one message with flags.
func AppendRaw(dst []byte, flags byte, p []byte, comp encoding.Compressor, most int) ([]byte, error) {
	start := len(dst)
	b := append(append(dst, 0, 0, 0, 0, 0), p...)
	b, _, err := appendHead(b, start, flags, comp, most)
	return b, err
}

// AppendPayload appends the encoding of v alone.
func AppendPayload(dst []byte, v any, c codec.Codec) ([]byte, error) {
	b, err := c.Append(dst, v)
	if err != nil {
		return dst, status.Errorf(codes.Internal, "grpc: the message could not be encoded: %v", err)
	}
	return b, nil
}

// appendHead completes the message whose payload follows the place of its head at b[start].
func appendHead(b []byte, start int, flags byte, comp encoding.Compressor, most int) ([]byte, Sizes, error) {
	body := start + HeadSize
	sizes := Sizes{Plain: len(b) - body}
	if comp != nil && sizes.Plain > 0 {
		var err error
		if b, err = Compress(b, body, comp); err != nil {
			return b[:start], Sizes{}, err
		}
		flags |= Compressed
	}
	sizes.Sent = len(b) - body
	if sizes.Sent > most || int64(sizes.Sent) > math.MaxUint32 {
		return b[:start], Sizes{}, status.Errorf(codes.ResourceExhausted, "grpc: message of %d bytes to send is larger than the limit of %d", sizes.Sent, most)
	}
	putHead(b[start:], flags, sizes.Sent)
	return b, sizes, nil
}
