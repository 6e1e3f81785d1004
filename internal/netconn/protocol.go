// Package netconn runs connections: it accepts them, gives what arrives to a protocol, parks connections that are idle,
// and ends each exactly once. It knows no protocol. What a connection sends is the affair of package output, how bytes
// move of package transport, and time of package clock; this package puts them together.
//
// An active connection has a goroutine; an idle one has only a line in the lot. Who may touch what, and when, is
// written down in docs/decisions/0001-connection-ownership.md.
package netconn

import (
	"crypto/tls"
	"errors"
	"net"
	"os"

	"github.com/shockwave-go/shockwave/internal/transport"
)

// Protocol is what a connection speaks.
type Protocol interface {
	// Data is given the bytes that arrived and were not taken yet, and returns how many it takes; the rest is kept
	// and given again at the front of more. in is valid until Data returns or calls a method of c that reads.
	// Data runs on the connection's goroutine, never twice at the same time, and may block for as long as it likes.
	//
	// A Data that must read further itself (Fill, Read) or wants the connection as it was accepted (Hijack) while
	// c.Latched() is true returns ErrUnlatch instead: it is called again with what it did not take, outside the latch.
	//
	// A Data that called c.Take or a method that reads returns what it takes of c.Unread() on top. It is called without
	// bytes, too, after Nudge.
	//
	// Any other error ends the connection after the pending output has been sent: ErrDone in good order, with a
	// lingering close, so that the peer gets to read our last words even if it is still sending; ErrAbort at once, with
	// a reset and what is pending thrown away; anything else in order too, and End is told. ErrDoneEarly is ErrDone
	// for a protocol that has not read all of the message it answered.
	Data(c *Conn, in []byte) (n int, err error)

	// End is called once and last, on the connection's goroutine: the connection is over, or it was hijacked.
	// err is nil after ErrDone, ErrDoneEarly and Hijack; io.EOF when the peer closed between messages and
	// io.ErrUnexpectedEOF when it closed with bytes left that nobody took; ErrIdle, ErrSlow, ErrShutdown, ErrAbort,
	// ErrPanic, or what the socket or Data said. After ErrIdle, ErrSlow and ErrShutdown the protocol may append a
	// last word.
	End(c *Conn, err error)
}

// Drainer is a Protocol that says goodbye itself. Shutdown does not end its connection when that is idle: it calls Drain,
// and the protocol has Data return ErrDone when its peer has heard it. Drain must not wait; it may be called by any
// goroutine, also while Data runs, and twice.
type Drainer interface{ Drain() }

// InputEnder is a Protocol whose work goes on after Data. EndOfInput is called, on the connection's goroutine, when the peer
// has closed its half or the connection is broken: nothing more comes. End follows when no work is left, or at once. err is
// what reading said: io.EOF where the peer has closed.
type InputEnder interface{ EndOfInput(err error) }

// Parker is a Protocol that has memory which an idle connection can do without. Park is called, on the connection's
// goroutine, when the connection is about to be parked: the next call will be Data's or End's, but for other goroutines'.
type Parker interface{ Park() }

// What Data may return; see Protocol.
var (
	ErrUnlatch = errors.New("netconn: run Data outside the latch")
	ErrDone    = errors.New("netconn: the protocol is done")
	ErrAbort   = errors.New("netconn: aborted")
	// ErrDoneEarly means that the protocol is done and that the peer is still sending: even a connection of which no
	// half can be closed lingers. A peer that waits for the end waits as long.
	ErrDoneEarly = errors.New("netconn: the protocol is done before its peer")
)

// isLast reports whether err is one of those with which a protocol says that it is done.
func isLast(err error) bool { return err == ErrDone || err == ErrDoneEarly }

// Why a connection ended, or why a method of Conn failed.
var (
	// ErrIdle means that no message began within IdleTimeout.
	ErrIdle = errors.New("netconn: idle for too long")
	// ErrSlow means that the peer was slower than a timeout or a minimum rate allows. It is os.ErrDeadlineExceeded.
	ErrSlow error = slowError{}
	// ErrShutdown means that the engine was told to end.
	ErrShutdown = errors.New("netconn: shutting down")
	// ErrPanic means that Data panicked or called runtime.Goexit.
	ErrPanic = errors.New("netconn: the protocol panicked")
	// ErrLatched is what Fill and Read say inside the latch.
	ErrLatched = errors.New("netconn: cannot wait for input inside the latch")
	// ErrInterrupted is what a Pulled's reads say after Interrupt.
	ErrInterrupted = errors.New("netconn: interrupted")
	// ErrFull means that MaxUnread bytes arrived of which the protocol took none.
	ErrFull = errors.New("netconn: too many bytes that nobody takes")
	// ErrHijacked means that somebody has taken the connection out of the engine.
	ErrHijacked = errors.New("netconn: the connection was hijacked")
)

// slowError is ErrSlow: a timeout to net.Error's and os.ErrDeadlineExceeded's users.
type slowError struct{}

func (slowError) Error() string        { return "netconn: peer too slow" }
func (slowError) Timeout() bool        { return true }
func (slowError) Temporary() bool      { return false }
func (slowError) Is(target error) bool { return target == os.ErrDeadlineExceeded }

// TLSClient is tls.Client for a connection that will be pulled or run. Until then it is a tls.Conn as any other; afterwards
// it runs as those do that the engine has accepted. nc must not be over TLS itself: the inner tls.Conn could go on after a
// deadline has cut a write, the outer could not.
func TLSClient(nc net.Conn, cfg *tls.Config) *tls.Conn { return transport.Client(nc, cfg) }
