// Package netconn runs connections: it accepts them, gives their input to a protocol, parks idle connections, and ends
// each connection exactly once. It does not know any protocol. It joins package output, which queues what a connection
// sends, package transport, which moves the bytes, and package clock, which keeps time.
//
// An active connection has a goroutine; an idle one only has an entry in the lot.
// docs/decisions/0001-connection-ownership.md defines which goroutine may touch which state at which time.
package netconn

import (
	"crypto/tls"
	"errors"
	"net"
	"os"

	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// Protocol is the protocol that a connection speaks.
type Protocol interface {
	// Data receives the input that has not been taken yet, and returns how many bytes it takes. The rest is kept and
	// passed again in front of later input. in is valid until Data returns or calls a method of c that reads. Data runs
	// on the connection's goroutine, never twice at the same time, and may block for as long as it likes. After Nudge
	// it is called even without input.
	//
	// A Data that needs to read more input itself (Fill, Read) or to take over the connection (Hijack) while
	// c.Latched() is true returns ErrUnlatch: it is called again outside the latch, with the bytes that it did not
	// take.
	//
	// If Data called c.Take or a method that reads, n counts the bytes of c.Unread() that it takes in addition.
	//
	// Any other error ends the connection after the pending output has been sent. ErrDone ends it in order with a
	// lingering close, so that the peer can read the last output even if it is still sending. ErrDoneEarly does the
	// same for a protocol that has not read all of the message it answered. ErrAbort ends the connection at once with a
	// reset and drops pending output. All other errors end it in order and are passed to End.
	Data(c *Conn, in []byte) (n int, err error)

	// End is called exactly once, as the last call, on the connection's goroutine, when the connection has ended or was
	// hijacked. err is nil after ErrDone, ErrDoneEarly and Hijack. It is io.EOF if the peer closed between messages,
	// io.ErrUnexpectedEOF if the peer closed and untaken bytes are left, one of ErrIdle, ErrSlow, ErrShutdown, ErrAbort
	// and ErrPanic, or the error of the socket or of Data. After ErrIdle, ErrSlow and ErrShutdown, End may append a
	// last message to the output.
	End(c *Conn, err error)
}

// Drainer is a Protocol that closes its connection itself at Shutdown. Shutdown does not end such a connection when it
// is idle. It calls Drain instead, and Data returns ErrDone once the peer has been told. Drain must not block. It may
// be called by any goroutine, while Data runs, and more than once.
type Drainer interface{ Drain() }

// InputEnder is a Protocol whose work goes on after Data has returned. EndOfInput is called on the connection's
// goroutine when the peer has closed its write half or the connection is broken, so that no more input comes. End is
// called at once, or when no work is left. err is the error of the read: io.EOF if the peer has closed.
type InputEnder interface{ EndOfInput(err error) }

// Parker is a Protocol that can release memory while its connection is idle. Park is called on the connection's
// goroutine just before the connection parks. The connection's next call is Data or End; other goroutines may call
// methods of the protocol meanwhile.
type Parker interface{ Park() }

// Aborter is a Protocol or Owner whose work goes on after Data has returned. Aborted is called by Abort, on its goroutine,
// before the connection's goroutine has noticed. It must not block.
type Aborter interface{ Aborted() }

// Errors that Data may return; see Protocol.
var (
	ErrUnlatch = errors.New("netconn: run Data outside the latch")
	ErrDone    = errors.New("netconn: the protocol is done")
	ErrAbort   = errors.New("netconn: aborted")
	// ErrDoneEarly means that the protocol is done but the peer is still sending. The close lingers even on a
	// connection whose halves cannot be closed separately; a peer that waits for the end of such a connection waits as
	// long as that.
	ErrDoneEarly = errors.New("netconn: the protocol is done before its peer")
)

// isLast reports whether err is an error by which a protocol ends its connection in order.
func isLast(err error) bool { return err == ErrDone || err == ErrDoneEarly }

// Reasons for the end of a connection and for the failure of methods.
var (
	// ErrIdle means that no message began within IdleTimeout.
	ErrIdle = errors.New("netconn: idle for too long")
	// ErrSlow means that the peer was slower than a timeout or a minimum rate allows. It matches
	// os.ErrDeadlineExceeded.
	ErrSlow error = slowError{}
	// ErrShutdown means that the engine is shutting down.
	ErrShutdown = errors.New("netconn: shutting down")
	// ErrPanic means that Data panicked or called runtime.Goexit.
	ErrPanic = errors.New("netconn: the protocol panicked")
	// ErrLatched is returned by Fill and Read inside the latch.
	ErrLatched = errors.New("netconn: cannot wait for input inside the latch")
	// ErrInterrupted is returned by the reads of a Pulled after Interrupt.
	ErrInterrupted = errors.New("netconn: interrupted")
	// ErrFull means that MaxUnread bytes have arrived and the protocol has taken none of them.
	ErrFull = errors.New("netconn: too many bytes that nobody takes")
	// ErrHijacked means that the connection has been taken out of the engine.
	ErrHijacked = errors.New("netconn: the connection was hijacked")
)

// slowError is the type of ErrSlow. It is a timeout for net.Error and os.ErrDeadlineExceeded.
type slowError struct{}

func (slowError) Error() string        { return "netconn: peer too slow" }
func (slowError) Timeout() bool        { return true }
func (slowError) Temporary() bool      { return false }
func (slowError) Is(target error) bool { return target == os.ErrDeadlineExceeded }

// TLSClient is tls.Client for a connection that will be passed to Pull or Run. Until then the result is an ordinary
// tls.Conn; afterwards it runs like the TLS connections that the engine accepts. nc must not be a TLS connection
// itself: after a deadline has cut a write, the inner tls.Conn could continue but the outer could not.
func TLSClient(nc net.Conn, cfg *tls.Config) *tls.Conn { return transport.Client(nc, cfg) }
