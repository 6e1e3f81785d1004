package server

import (
	"errors"
	"fmt"
	"net/http"
)

var (
	// ErrServerClosed is http.ErrServerClosed. Serve returns it after Shutdown or Close.
	ErrServerClosed = http.ErrServerClosed
	// ErrAbort as the value of a handler's panic aborts the connection without a log line. The client sees that the
	// response is incomplete. http.ErrAbortHandler does the same.
	ErrAbort = errors.New("server: abort the connection")
	// ErrCommitted is returned by methods that must be called before the head of the response has been sent.
	ErrCommitted = errors.New("server: response head already sent")
	// ErrNotForm is returned by FormValues when the Content-Type of the body is not that of a form.
	ErrNotForm = errors.New("server: Content-Type is not application/x-www-form-urlencoded")

	errNoTunnel = fmt.Errorf("server: on HTTP/2 only CONNECT can be hijacked: %w",
		http.ErrNotSupported)
	errTakenOver        = errors.New("server: connection hijacked") // a handler has taken the connection over
	errNoHandler        = errors.New("server: Config.Handler is nil")
	errNilHandler       = errors.New("the handler is nil")
	errNotRegular       = errors.New("server: not a regular file")
	errNotInformational = errors.New("server: an informational status is 100 to 199, but not 101")
	errNoCertificate    = errors.New("server: no certificate: give two files, or Config.TLSConfig with one")
)
