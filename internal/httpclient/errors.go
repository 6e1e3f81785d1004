package httpclient

import (
	"errors"

	"github.com/shockwave-go/shockwave/internal/h2client"
	"github.com/shockwave-go/shockwave/internal/httpread"
)

var (
	// ErrWaitTimeout says that no connection was to be had in time.
	ErrWaitTimeout = h2client.ErrWaitTimeout
	// ErrHeadTimeout says that a response's head has not come in time.
	ErrHeadTimeout error = timeoutError("http: timeout awaiting response headers")
	// ErrIdleTimeout says that the next byte of a response's body has not come in time.
	ErrIdleTimeout error = timeoutError("http: timeout reading the response's body")
	// ErrInterim says that a server sends one informational response after the other.
	ErrInterim = httpread.ErrInterim
	// ErrClosed says that the client has been closed.
	ErrClosed = errors.New("http: the client is closed")
)

// BadHead is the error of a response that is none.
type BadHead struct {
	Text string // how it begins
	Err  error  // an *http1.Error
}

// Error says what is wrong.
func (e *BadHead) Error() string { return e.Err.Error() }

// Unwrap returns the rule that was broken.
func (e *BadHead) Unwrap() error { return e.Err }

// cut returns as much of a head as errors hold.
func cut(head []byte) []byte { return head[:min(len(head), 4<<10)] }

// timeoutError is an error that is a timeout to net.Error's users.
type timeoutError string

func (e timeoutError) Error() string   { return string(e) }
func (e timeoutError) Timeout() bool   { return true }
func (e timeoutError) Temporary() bool { return true }
