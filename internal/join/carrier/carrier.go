// Package carrier is the seam between package server and what carries its exchanges: the streams of HTTP/2 in package server
// itself, and those of other modules, which bring transports that not every program wants, such as QUIC. Clients have a seam
// of the same kind, Client, which brings them HTTP/3. Package facelink brings both sides together.
//
//	request's head ─► Exchange ─► handler
//	                     │ ▲
//	        Send, Inform ▼ │ Read
//	                   Stream ── the carrier's frames ── its connection
//
// It is internal: only modules below github.com/shockwave-go/shockwave can use it, and what is here does not change under
// one that is older than the root module.
package carrier

import (
	"crypto/tls"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

// Stream carries one exchange, whose heads and trailers are lists of fields. One goroutine at a time reads, and one writes;
// they may be different ones.
type Stream interface {
	Link
	Reader
	Writer
	Tunnel
}

// Reader gives the content of the request, without framing. At its end it returns io.EOF.
type Reader = httpread.Conn

// Link is what an exchange asks of its connection. All methods may be called by any goroutine.
type Link interface {
	TLS() *tls.ConnectionState
	LocalAddr() net.Addr
	RemoteAddr() net.Addr

	// Wall returns the time of day, at most a few milliseconds old.
	Wall() time.Time

	// Draining reports whether the server is shutting down.
	Draining() bool

	// OnGone, OnGoneInline, Gone and NoteGone do what those of netconn.Conn do, for the client of the exchange.
	OnGone(f func()) netconn.GoneCall
	OnGoneInline(f func()) netconn.GoneCall
	Gone() bool
	NoteGone()

	// AllowPauses lets the client send its content at any pace.
	AllowPauses()

	SetReadDeadline(t time.Time) error
	SetWriteDeadline(t time.Time) error

	// WireError returns the error that a handler gets when op, "read" or "write", has failed with err.
	WireError(op string, err error) error
}

// Writer sends the response.
type Writer interface {
	// SetTimeouts sets the deadlines of reading and of writing, as durations from now. 0 leaves one as it is.
	SetTimeouts(read, write time.Duration)

	// Send sends a part of the final response: its head, then the content a and b, then its trailer. What is nil is left out. It
	// waits while the client takes too little, and keeps nothing. It may leave the output queued until Flush or its last part.
	Send(head Section, a, b []byte, trailer Section, end End) error

	// Inform sends an interim response. It does nothing once Send has sent the head of the final one. With wait it waits while the
	// client takes too little; without, the goroutine that reads may call it, too.
	Inform(s Section, wait bool) error

	// Flush sends what is queued. It need not wait until that has been sent.
	Flush() error

	// Abort ends the stream in both directions, so that the client knows that it has not got everything.
	Abort(why Reason)

	// Last lets the connection take no more requests.
	Last()
}

// Tunnel has what an exchange needs only if its handler takes the stream over.
type Tunnel interface {
	// TakeOver makes the stream the handler's: there are no deadlines and no pace, and Shutdown waits neither for it nor for the
	// handler.
	TakeOver()

	// ReadExpired reports whether the deadline of reading has passed.
	ReadExpired() bool

	// Interrupt makes reads and writes fail with err, those that wait, too. Any goroutine may call it.
	Interrupt(err error)

	// Finish gives the stream back. What was sent still arrives, then the response ends, unless it has ended already. The content that the client
	// still sends is refused. No goroutine reads or writes any more.
	Finish()
}

// Watcher is a Stream that is told when a handler that has taken it over panics.
type Watcher interface {
	HandlerFailed()
}

// Section is a head or a trailer, ready to be encoded.
type Section interface {
	// AppendTo appends the section to dst, encoded by f.
	AppendTo(f Fields, dst []byte) []byte
}

// Fields encodes the lines of a section. Names are in lower case. *http2.Conn is one.
type Fields interface {
	AppendStatus(dst []byte, status int) []byte
	AppendField(dst []byte, name, value string) []byte
	AppendFieldBytes(dst, name, value []byte) []byte
}

// End says what follows a part of a response.
type End uint8

// What follows.
const (
	More     End = iota // more parts
	Complete            // nothing
	CloseEnd            // nothing, and the connection takes no more requests
)

// Reason says why a stream is aborted.
type Reason uint8

// The reasons.
const (
	Incomplete Reason = iota // the server cannot complete the response
	Cancelled                // a WebSocket, or whatever else an extended CONNECT has opened, was aborted
	Broken                   // a tunnel to somewhere else was aborted
)
