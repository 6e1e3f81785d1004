package client

import (
	"context"
	"errors"
	"strings"

	"github.com/shockwave-go/shockwave/internal/httpclient"
)

// Error is what a request fails with.
type Error struct {
	Op  string // the method as people write it, like "Get"
	URL string // without user and fragment
	Err error
}

// Error returns the message.
func (e *Error) Error() string { return e.Op + " \"" + e.URL + "\": " + e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Timeout reports whether the request has taken too long.
func (e *Error) Timeout() bool {
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](e.Err)
	return ok && t.Timeout()
}

// Temporary tells the same as Timeout: with it an Error is a net.Error.
func (e *Error) Temporary() bool { return e.Timeout() }

var (
	// ErrClosed is what requests of a closed client say.
	ErrClosed = httpclient.ErrClosed
	// ErrBodyClosed is what reading a body says after Close.
	ErrBodyClosed = httpclient.ErrBodyClosed
	// ErrBodyTooLarge says that a response's body is longer than is allowed; what is within the limit has been returned.
	ErrBodyTooLarge = errors.New("client: the response's body is longer than allowed")
	// ErrRequest says that a request cannot be sent as it is. Nothing of it was.
	ErrRequest = errors.New("client: bad request")
	// ErrTimeout says that a request has taken longer than its Timeout.
	ErrTimeout error = timeoutError{}
)

type timeoutError struct{}

func (timeoutError) Error() string        { return "client: the request has taken too long" }
func (timeoutError) Timeout() bool        { return true }
func (timeoutError) Temporary() bool      { return true }
func (timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// badRequest is an ErrRequest with what is wrong.
type badRequest struct{ msg string }

func (e *badRequest) Error() string        { return "client: " + e.msg }
func (e *badRequest) Is(target error) bool { return target == ErrRequest }

// opOf is a method as it is written in errors.
func opOf(method string) string {
	if method == "" {
		return "Get"
	}
	return method[:1] + strings.ToLower(method[1:])
}

// shown is a URL as it is written in errors: without what may be a password, and without its fragment.
func shown(url string) string {
	url, _, _ = strings.Cut(url, "#")
	scheme, rest, ok := strings.Cut(url, "//")
	if !ok {
		return url
	}
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	if at := strings.LastIndexByte(rest[:end], '@'); at >= 0 {
		return scheme + "//" + rest[at+1:]
	}
	return url
}
