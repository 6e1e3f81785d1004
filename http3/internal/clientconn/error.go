package clientconn

import (
	"context"
	"errors"
	"io"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// brokenError is the error of requests whose connection has ended for any other reason. errors.Is finds that reason in it, and
// io.ErrUnexpectedEOF.
type brokenError struct{ err error }

func (e *brokenError) Error() string   { return "http3: connection lost: " + e.err.Error() }
func (e *brokenError) Unwrap() []error { return []error{e.err, io.ErrUnexpectedEOF} }

// Timeout reports whether the reason is a silent server.
func (e *brokenError) Timeout() bool { return e.err == errSilent }

var (
	errSilent    error = TimeoutError("the server has sent nothing for too long")
	errForgotten       = errors.New("stateless reset by the server (RFC 9000 §10.3)")
)

// earlyEnd is the error of a response that ends too early. errors.Is finds io.ErrUnexpectedEOF in it.
type earlyEnd struct{ rule *h3frame.Error }

func (e *earlyEnd) Error() string   { return "http3: the response ends too early: " + e.rule.Error() }
func (e *earlyEnd) Unwrap() []error { return []error{e.rule, io.ErrUnexpectedEOF} }

// unprocessedError says that the server has not processed a request: it may be sent again, whatever its method (RFC 9114 §4.1.1).
type unprocessedError struct{ err error }

func (e *unprocessedError) Error() string {
	return "http3: the server has not processed the request: " + e.err.Error()
}
func (e *unprocessedError) Unwrap() error { return e.err }

// IsUnprocessed reports whether err says that the server has not processed the request.
func IsUnprocessed(err error) bool {
	_, ok := errors.AsType[*unprocessedError](err)
	return ok
}

var (
	errGoAway     = errors.New("the server is going away (GOAWAY, RFC 9114 §5.2)")
	errIdleClosed = errors.New("http3: the connection was idle for too long")

	errSlow error = netconn.ErrSlow
)

// TimeoutError is a net.Error whose Timeout method returns true.
type TimeoutError string

// Error returns the text.
func (e TimeoutError) Error() string { return string(e) }

// Timeout returns true.
func (e TimeoutError) Timeout() bool { return true }

// Temporary returns true.
func (e TimeoutError) Temporary() bool { return true }

// Is reports whether target is context.DeadlineExceeded.
func (e TimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }
