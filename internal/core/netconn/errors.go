package netconn

import (
	"errors"
	"io"
	"os"

	"github.com/shockwave-go/shockwave/internal/core/inbuf"
)

// Errors that Data may return; see Protocol.
var (
	ErrUnlatch = errors.New("netconn: run Data outside the latch")
	ErrDone    = errors.New("netconn: the protocol is done")
	ErrAbort   = errors.New("netconn: connection aborted")
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
	ErrFull = inbuf.ErrFull
	// ErrHijacked means that the connection has been taken out of the engine.
	ErrHijacked = errors.New("netconn: the connection was hijacked")
)

// slowError is the type of ErrSlow. It is a timeout for net.Error and os.ErrDeadlineExceeded.
type slowError struct{}

func (slowError) Error() string {
	return "netconn: peer slower than a deadline or the minimum rate allows"
}
func (slowError) Timeout() bool        { return true }
func (slowError) Temporary() bool      { return false }
func (slowError) Is(target error) bool { return target == os.ErrDeadlineExceeded }

// isEnd reports whether err is the end of the peer's half.
func isEnd(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }
