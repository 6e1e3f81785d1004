// Package session manages the sessions of WebTransport on a connection of HTTP/3 (draft-ietf-webtrans-http3): Sessions knows which CONNECT
// was granted a session, and passes each session its streams and datagrams. Package webtransport implements the sessions that programs
// use. Between the two packages are these interfaces:
//
//	CONNECT's stream ─► Host ── OpenSession ─► Conn: new streams, datagrams
//	                      │
//	                      └─► Guest: streams and datagrams of the client's
package session

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// Owner is the connection of HTTP/3 to which Sessions belong.
type Owner interface {
	Fail(err error)        // ends the connection
	Charge(cost int32)     // makes the client pay for what makes no progress
	IsPast(id uint64) bool // whether the request id has come and ended
}

// QUIC is the connection of QUIC below it. Bytes that are written to a stream follow the header with which it was opened.
type QUIC interface {
	OpenSession(ctx context.Context, header []byte) (Stream, error)
	OpenUniSession(ctx context.Context, header []byte) (Send, error)
	TakesDatagrams() bool
	SendDatagram(p []byte) error
	ReceiveDatagram() ([]byte, error)
	Ended() <-chan struct{}
}

// Request is the stream of a CONNECT.
type Request interface {
	Refuse(err error)
	Reset(code h3frame.Code)
}

// Host is the stream of a CONNECT that a handler has taken over.
type Host interface {
	// OpenSession makes g the session of the stream, until the stream ends. ok is false if the server has not granted one.
	OpenSession(g Guest) (ok bool)
}

// Guest is the view that a connection has of a session. Any goroutine calls the methods, which do not block.
type Guest interface {
	Begin(c Conn) // the first call, by OpenSession
	AddStream(s Stream)
	AddUniStream(s Receive)
	AddDatagram(p []byte) // p is the guest's
	GoingAway()           // the connection takes no more requests
	HandlerFailed()       // the handler has panicked
}

// Conn is the view that a session has of the connection. Any goroutine may call the methods.
type Conn interface {
	// OpenStream and OpenUniStream wait until the client allows one more. What is written comes behind the session's header.
	OpenStream(ctx context.Context) (Stream, error)
	OpenUniStream(ctx context.Context) (Send, error)

	// SendDatagram waits until QUIC has taken p. It keeps nothing of p.
	SendDatagram(ctx context.Context, p []byte) error

	// Leave says that the session has ended, although its stream may go on for a while. Another one may be opened.
	Leave()

	// Abort resets the stream of the CONNECT for err.
	Abort(err *h3frame.Error)

	// ChargeCapsule makes the client pay for a capsule that brings nothing.
	ChargeCapsule()
}

// Receive is the receiving half of a stream. One goroutine at a time reads.
type Receive interface {
	io.Reader
	Stop(code h3frame.Code)
	SetReadDeadline(t time.Time) error
}

// Send is the sending half of a stream. One goroutine at a time writes or calls CloseWrite.
type Send interface {
	io.Writer
	CloseWrite() error
	Reset(code h3frame.Code)
	SetWriteDeadline(t time.Time) error
}

// Stream is a bidirectional stream.
type Stream interface {
	Send
	Receive
}

// ResetError says that the client has reset or stopped a stream.
type ResetError struct{ Code h3frame.Code }

// Error returns the name of the code.
func (e *ResetError) Error() string { return "http3: stream ended by the client: " + e.Code.String() }

// TooLargeError says that a datagram does not fit into a packet.
type TooLargeError struct{ Most int }

// Error says how many bytes would fit.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("http3: a datagram may have %d bytes at this time", e.Most)
}
