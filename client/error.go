package client

import (
	"context"
	"errors"
	"strings"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// Error is the error of a failed request.
type Error struct {
	Op  string // the method as in "Get"
	URL string // without userinfo and fragment
	Err error
}

// Error returns the message.
func (e *Error) Error() string { return e.Op + " \"" + e.URL + "\": " + e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Timeout reports whether the request has failed because something took too long.
func (e *Error) Timeout() bool {
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](e.Err)
	return ok && t.Timeout()
}

// Temporary returns the same as Timeout. It makes Error a net.Error.
func (e *Error) Temporary() bool { return e.Timeout() }

var (
	// ErrClosed is returned by a Client that has been closed. It matches net.ErrClosed.
	ErrClosed = httpclient.ErrClosed
	// ErrBodyClosed is returned when a body is read after Close.
	ErrBodyClosed = httpclient.ErrBodyClosed
	// ErrBodyTooLarge is returned when a response's body exceeds the limit. The bytes within the limit have been returned
	// before.
	ErrBodyTooLarge = errors.New("client: response body too large")
	// ErrRequest matches errors of requests that cannot be sent as they are. Nothing of them has been sent.
	ErrRequest = errors.New("client: bad request")
	// ErrTimeout is returned when a request has taken longer than its Timeout.
	ErrTimeout error = timeoutError{}
)

type timeoutError struct{}

func (timeoutError) Error() string        { return "client: the request has taken too long" }
func (timeoutError) Timeout() bool        { return true }
func (timeoutError) Temporary() bool      { return true }
func (timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// subject is the request that an error is about, and to which a response belongs.
type subject struct{ method, url string }

// wrap returns err as an *Error of the request.
func (s *subject) wrap(err error) error {
	return &Error{Op: opOf(s.method), URL: redacted(s.url), Err: err}
}

// badRequest is an error that matches ErrRequest. msg says what is wrong.
type badRequest struct{ msg string }

func (e *badRequest) Error() string        { return "client: " + e.msg }
func (e *badRequest) Is(target error) bool { return target == ErrRequest }

// opOf returns a method as it is written in errors.
func opOf(method string) string {
	if method == "" {
		return "Get"
	}
	return method[:1] + strings.ToLower(method[1:])
}

// redacted returns a URL as it is written in errors: without userinfo, which may hold a password, and without the
// fragment.
func redacted(url string) string {
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
