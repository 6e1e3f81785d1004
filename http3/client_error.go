package http3

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
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

// Blame returns shockwave.Local if the code accuses this side of a broken rule, or else shockwave.Peer.
func (e *ClosedError) Blame() shockwave.Blame { return blameOf(h3frame.Code(e.Code)) }

// Reference returns the section about connections that are closed at once.
func (e *ClosedError) Reference() string { return "RFC 9114 §5.3" }

// Unwrap returns io.ErrUnexpectedEOF.
func (e *ClosedError) Unwrap() error { return io.ErrUnexpectedEOF }

// brokenError is the error of requests whose connection has ended for another reason. errors.Is finds in it that reason and
// io.ErrUnexpectedEOF.
type brokenError struct{ err error }

func (e *brokenError) Error() string   { return "http3: connection lost: " + e.err.Error() }
func (e *brokenError) Unwrap() []error { return []error{e.err, io.ErrUnexpectedEOF} }

// Timeout reports whether the reason is a silent server.
func (e *brokenError) Timeout() bool { return e.err == errSilent }

var (
	errSilent    error = timeoutError("the server has sent nothing for too long")
	errForgotten       = errors.New("the server does not know it any more (stateless reset, RFC 9000 §10.3)")
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

// isUnprocessed reports whether err says that the server has not processed the request.
func isUnprocessed(err error) bool {
	_, ok := errors.AsType[*unprocessedError](err)
	return ok
}

var (
	errGoAway          = errors.New("it is going away (GOAWAY, RFC 9114 §5.2)")
	errTransportClosed = errors.New("http3: the Transport is closed")
	errIdleClosed      = errors.New("http3: the connection was idle for too long")
	errNoUse           = errors.New("http3: the server closes its connections before a request")

	errSlow             error = netconn.ErrSlow
	errHandshakeTimeout error = timeoutError("http3: timeout of the handshake")
)

// timeoutError is a net.Error whose Timeout method returns true.
type timeoutError string

func (e timeoutError) Error() string        { return string(e) }
func (e timeoutError) Timeout() bool        { return true }
func (e timeoutError) Temporary() bool      { return true }
func (e timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }
