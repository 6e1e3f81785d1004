package http3

import (
	"fmt"

	"github.com/shockwave-go/shockwave/internal/h3frame"
)

// StreamError means that the peer has ended a stream before its message was complete. A client may do so because it wants no answer.
type StreamError struct {
	Code     uint64 // RFC 9114 §8.1
	ByServer bool   // the peer is the server
}

// Error returns the name of the code.
func (e *StreamError) Error() string {
	peer := "client"
	if e.ByServer {
		peer = "server"
	}
	return fmt.Sprintf("http3: stream ended by the %s: %s", peer, h3frame.Code(e.Code))
}

// translate returns err, an error of a stream of QUIC, as one of this package's.
func translate(err error) error {
	if code, ok := resetBy(err); ok {
		return &StreamError{Code: uint64(code)}
	}
	return err
}
