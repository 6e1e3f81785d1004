package http3

import (
	"fmt"
	"io"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// StreamError means that the peer has ended a stream before its message was complete. A client may do so because it wants no response.
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

// Blame returns the side that has broken a rule, according to the code: shockwave.Local if the code accuses this side, otherwise
// shockwave.Peer, which has left the message incomplete.
func (e *StreamError) Blame() shockwave.Blame { return blameOf(h3frame.Code(e.Code)) }

// Reference returns the section about streams that end early.
func (e *StreamError) Reference() string { return "RFC 9114 §4.1.1" }

// blameOf returns the side that has broken a rule if the peer ends a stream or a connection with a code (RFC 9114 §8.1, RFC 9204 §6).
func blameOf(code h3frame.Code) shockwave.Blame {
	switch code {
	case h3frame.NoError, h3frame.InternalError, h3frame.RequestRejected, h3frame.RequestCancelled, h3frame.ConnectError, h3frame.VersionFallback:
		return shockwave.Peer
	}
	if h3frame.NoError < code && code < h3frame.VersionFallback || code == h3frame.DatagramError || qpackFirst <= code && code <= qpackLast {
		return shockwave.Local
	}
	return shockwave.Peer // a code that we do not know stands for H3_NO_ERROR (RFC 9114 §9)
}

// The codes of QPACK (RFC 9204 §6).
const (
	qpackFirst = h3frame.Code(qpack.DecompressionFailed)
	qpackLast  = h3frame.Code(qpack.DecoderStreamError)
)

// ClosedError is the error of requests whose connection the server has closed before their responses were complete. errors.Is finds
// io.ErrUnexpectedEOF in it.
type ClosedError struct {
	Code   uint64 // RFC 9114 §8.1: why the server has closed it; Blame says whether that accuses us
	Reason string // what the server says
}

// Error returns the name of the code and the reason.
func (e *ClosedError) Error() string {
	s := "http3: connection closed by the server: " + h3frame.Code(e.Code).String()
	if e.Reason != "" {
		s += fmt.Sprintf(" %q", e.Reason)
	}
	return s
}

// Blame returns shockwave.Local if the code accuses this side of a broken rule, otherwise shockwave.Peer.
func (e *ClosedError) Blame() shockwave.Blame { return blameOf(h3frame.Code(e.Code)) }

// Reference returns the section about connections that are closed at once.
func (e *ClosedError) Reference() string { return "RFC 9114 §5.3" }

// Unwrap returns io.ErrUnexpectedEOF.
func (e *ClosedError) Unwrap() error { return io.ErrUnexpectedEOF }
