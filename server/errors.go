package server

import (
	"errors"
	"fmt"
	"net/http"
)

var (
	// ErrServerClosed is http.ErrServerClosed: what Serve returns after Shutdown or Close.
	ErrServerClosed = http.ErrServerClosed
	// ErrAbort ends the connection without a log line when a handler panics with it: the client sees that the answer
	// is not whole. http.ErrAbortHandler does the same.
	ErrAbort = errors.New("server: abort the connection")
	// ErrCommitted is returned where something must be said before the head of the answer has left, and it has.
	ErrCommitted = errors.New("server: the head of the answer has left already")
	// ErrNotForm is returned by FormValues when the body is said to be something else.
	ErrNotForm = errors.New("server: the body is no application/x-www-form-urlencoded")

	errNoTunnel         = fmt.Errorf("server: a stream of HTTP/2 that is no tunnel cannot be taken over: %w", http.ErrNotSupported)
	errNoHandler        = errors.New("server: Config.Handler is nil")
	errNotRegular       = errors.New("server: not a regular file")
	errNotInformational = errors.New("server: an informational status is 100 to 199 and not 101")
	errNoCertificate    = errors.New("server: no certificate: give two files, or Config.TLSConfig with one")
)
