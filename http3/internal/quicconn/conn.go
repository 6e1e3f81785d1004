package quicconn

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// Conn is a connection. All methods may be called concurrently.
type Conn struct{ c *quic.Conn }

// LocalAddr returns our address.
func (c Conn) LocalAddr() net.Addr { return c.c.LocalAddr() }

// RemoteAddr returns the peer's address, which may change.
func (c Conn) RemoteAddr() net.Addr { return c.c.RemoteAddr() }

// Ended returns a channel that is closed when the connection has ended.
func (c Conn) Ended() <-chan struct{} { return c.c.Context().Done() }

// Handshaken returns a channel that is closed when the handshake is complete.
func (c Conn) Handshaken() <-chan struct{} { return c.c.HandshakeComplete() }

// IsHandshaken reports whether the handshake is complete.
func (c Conn) IsHandshaken() bool { return isClosed(c.c.HandshakeComplete()) }

// NoteHandshaken tells Hooks.Begin that the handshake is complete.
func (c Conn) NoteHandshaken() { c.c.Context().Value(handshakenKey{}).(func())() }

// Early reports whether something was sent before the handshake was complete (0-RTT).
func (c Conn) Early() bool { return c.c.ConnectionState().Used0RTT }

// TLS returns the state of TLS at this time.
func (c Conn) TLS() tls.ConnectionState { return c.c.ConnectionState().TLS }

// Close ends the connection with a code.
func (c Conn) Close(code h3frame.Code, why string) {
	c.c.CloseWithError(quic.ApplicationErrorCode(code), why)
}

// Traffic counts what a connection has sent and received so far.
type Traffic struct {
	Sent, Received int64         // bytes
	Packets        uint64        // sent
	Came           uint64        // packets received
	Probe          time.Duration // after this time without an acknowledgement what was sent is sent again (RFC 9002 §6.2.1)
}

// Traffic returns the counters at this time.
func (c Conn) Traffic() Traffic {
	s := c.c.ConnectionStats()
	return Traffic{
		Sent: int64(s.BytesSent), Received: int64(s.BytesReceived), Packets: s.PacketsSent, Came: s.PacketsReceived,
		Probe: s.SmoothedRTT + max(4*s.MeanDeviation, time.Millisecond) + maxAckDelay,
	}
}

// maxAckDelay is how long a peer may delay an acknowledgement (RFC 9000 §18.2).
const maxAckDelay = 25 * time.Millisecond

// Accept waits for the next request stream.
func (c Conn) Accept() (Stream, error) {
	s, err := c.c.AcceptStream(context.Background())
	return Stream{s}, err
}

// AcceptUni waits for the next unidirectional stream, until ctx ends. If ctx has ended it returns a stream that has arrived
// already.
func (c Conn) AcceptUni(ctx context.Context) (Receive, error) {
	s, err := c.c.AcceptUniStream(ctx)
	return Receive{s}, err
}

// OpenUni opens a unidirectional stream.
func (c Conn) OpenUni() (Send, error) {
	s, err := c.c.OpenUniStream()
	return Send{s}, err
}

// isClosed reports whether a channel is closed.
func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}
