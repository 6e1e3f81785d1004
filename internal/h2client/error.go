package h2client

import (
	"errors"
	"io"
	"strconv"

	"github.com/shockwave-go/shockwave/http2"
)

// GoAwayError is what requests say that were under way on a connection that the server has ended with GOAWAY.
type GoAwayError struct {
	LastStream uint32 // the last one that the server may have worked on
	Code       http2.Code
	Debug      string // what the server says to people
}

// Error returns the message.
func (e *GoAwayError) Error() string {
	return "http2: the server went away: GOAWAY with " + e.Code.String() + ", last stream " +
		strconv.FormatUint(uint64(e.LastStream), 10) + ", " + strconv.Quote(e.Debug)
}

// brokenError is what requests say on a connection that broke before their responses had come. It is an
// io.ErrUnexpectedEOF, which is what those of a connection that the server has ended say, and what it broke with.
type brokenError struct{ error }

// Unwrap returns both.
func (e *brokenError) Unwrap() []error { return []error{e.error, io.ErrUnexpectedEOF} }

// errNoPong is why a connection ends whose server does not answer.
var errNoPong error = timeoutError("http2: the server did not answer a ping in time")

// timeoutError is an error that is a timeout to net.Error's users.
type timeoutError string

func (e timeoutError) Error() string   { return string(e) }
func (e timeoutError) Timeout() bool   { return true }
func (e timeoutError) Temporary() bool { return true }

// ErrFull says that the server takes no more requests at once on this connection.
var ErrFull error = http2.ErrTooManyStreams

// Untouched reports whether err says that the server has not worked on a request, so that it can be sent again on another
// connection whatever its method is (RFC 9113 §8.7).
func Untouched(err error) bool {
	var e *http2.Error
	return errors.As(err, &e) && e.Code == http2.RefusedStream
}
