package httpclient

import (
	"errors"
	"net"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h2client"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

var (
	// ErrWaitTimeout is returned when no connection was available in time.
	ErrWaitTimeout = h2client.ErrWaitTimeout
	// ErrHeadTimeout is returned when a response's head has not arrived in time.
	ErrHeadTimeout error = timeoutError("http: timeout awaiting response headers")
	// ErrIdleTimeout is returned when the next byte of a response's body has not arrived in time.
	ErrIdleTimeout error = timeoutError("http: timeout reading the response's body")
	// ErrSendTimeout is returned when the server takes a request too slowly.
	ErrSendTimeout error = timeoutError("http: timeout sending the request")
	// ErrInterim is returned when a server sends too many informational responses.
	ErrInterim = httpread.ErrInterim
	// ErrClosed is returned after Client.Close. It matches net.ErrClosed.
	ErrClosed error = closedError{}
	// ErrTakenOver is what an error of Config.Open wraps if the connection and its requests are left to something else. Do
	// then leaves the request's body as it is.
	ErrTakenOver = errors.New("http: the connection has been taken over")
)

// timeoutOn returns the error to report when waiting for the response has failed with netconn.ErrSlow: waited, the error of
// that wait, unless it has failed because the server takes output too slowly.
func timeoutOn(l *netconn.Link, waited error) error {
	if errors.Is(l.WriteError(), netconn.ErrSlow) {
		return ErrSendTimeout
	}
	return waited
}

// SpentBody is the error of a request that the server has refused and that could be sent again, if its body could be.
type SpentBody struct{ Err error }

// Error returns the message.
func (e *SpentBody) Error() string {
	return "http: the request's body cannot be sent again: " + e.Err.Error()
}

// Unwrap returns Err.
func (e *SpentBody) Unwrap() error { return e.Err }

// BadHead is the error for a response whose head is malformed.
type BadHead struct {
	Text string // the beginning of the head
	Err  error  // a *http1.Error
}

// Error returns the message of Err.
func (e *BadHead) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *BadHead) Unwrap() error { return e.Err }

// cut returns the part of a head that an error keeps.
func cut(head []byte) []byte { return head[:min(len(head), 4<<10)] }

type closedError struct{}

func (closedError) Error() string        { return "http: the client is closed" }
func (closedError) Is(target error) bool { return target == net.ErrClosed }

// timeoutError is an error whose Timeout method returns true, as net.Error has it.
type timeoutError string

func (e timeoutError) Error() string   { return string(e) }
func (e timeoutError) Timeout() bool   { return true }
func (e timeoutError) Temporary() bool { return true }

// errLookAgain tells the caller to look for a connection again. The connection that was opened may speak either version, and
// a server that has spoken HTTP/2 before may have chosen HTTP/1.1; or the pool has been pruned.
var errLookAgain = errors.New("http: the connection is elsewhere")
