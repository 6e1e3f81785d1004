package http3

import (
	"fmt"

	"github.com/shockwave-go/shockwave/internal/h3frame"
)

// StreamError means that the client has ended a stream before its message was complete, or wants no answer.
type StreamError struct {
	Code uint64 // RFC 9114 §8.1
}

// Error returns the name of the code.
func (e *StreamError) Error() string {
	return fmt.Sprintf("http3: stream ended by the client: %s", h3frame.Code(e.Code))
}

// translate returns err, an error of a stream of QUIC, as one of this package's.
func translate(err error) error {
	if code, ok := resetBy(err); ok {
		return &StreamError{uint64(code)}
	}
	return err
}
