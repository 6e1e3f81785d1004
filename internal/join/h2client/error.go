package h2client

import (
	"errors"
	"io"
	"strconv"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
)

// GoAwayError is the error of requests that did not complete because the server ended the connection with GOAWAY. Its
// text is the one of net/http.
type GoAwayError struct {
	LastStream uint32 // the last stream that the server may have processed
	Code       http2.ErrCode
	Debug      string // debug data of the GOAWAY frame
}

// Error returns the message.
func (e *GoAwayError) Error() string {
	return "http2: server sent GOAWAY and closed the connection; LastStreamID=" + strconv.FormatUint(uint64(e.LastStream), 10) +
		", ErrCode=" + e.Code.String() + ", debug=" + strconv.Quote(e.Debug)
}

// Unwrap returns io.ErrUnexpectedEOF: the response is not complete.
func (e *GoAwayError) Unwrap() error { return io.ErrUnexpectedEOF }

// goneError is the error of requests that a server's GOAWAY has left out. errors.As finds both the GoAwayError and the
// http2.Error in it. Its text begins as the one of net/http.
type goneError struct {
	away  *GoAwayError
	reset error
}

// Error returns the message.
func (e *goneError) Error() string {
	if e.away.Code == http2.ErrCodeNo {
		return "http2: Transport received Server's graceful shutdown GOAWAY"
	}
	text := "http2: Transport received GOAWAY from server ErrCode:" + e.away.Code.String()
	if e.away.Debug != "" {
		text += ", debug=" + strconv.Quote(e.away.Debug)
	}
	return text
}

// Unwrap returns the stream's error and the GOAWAY.
func (e *goneError) Unwrap() []error { return []error{e.reset, e.away} }

// brokenError is the error of requests whose connection failed before their responses were complete. errors.Is finds in
// it both the error of the connection and io.ErrUnexpectedEOF, which is the error on a connection that the server closed.
type brokenError struct{ error }

// Unwrap returns the connection's error and io.ErrUnexpectedEOF.
func (e *brokenError) Unwrap() []error { return []error{e.error, io.ErrUnexpectedEOF} }

// errNoPong ends a connection whose server does not answer a PING. Programs know the first words from net/http.
var errNoPong error = timeoutError("http2: client connection lost: the server did not answer a ping in time")

// timeoutError is a net.Error that is a timeout.
type timeoutError string

func (e timeoutError) Error() string   { return string(e) }
func (e timeoutError) Timeout() bool   { return true }
func (e timeoutError) Temporary() bool { return true }

// ErrFull means that the server takes no more requests at once on this connection.
var ErrFull error = http2.ErrTooManyStreams

// Unprocessed reports whether err means that the server has not processed a request, so that any request, whatever its
// method, can be sent again on another connection (RFC 9113 §8.7).
func Unprocessed(err error) bool {
	var e *http2.Error
	return errors.As(err, &e) && e.Code == http2.ErrCodeRefusedStream
}

// BrokeRules reports whether err is that of a connection which we have ended because the server broke a rule.
func BrokeRules(err error) bool {
	_, broke := errors.AsType[*h2conn.ConnectionError](err)
	return broke
}
