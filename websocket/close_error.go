package websocket

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// CloseError is the error of a read after the peer has closed the connection, or the connection has broken (RFC 6455 §7.1.5,
// §7.1.6). Code is CloseNoStatus if the peer's close frame had no code, and CloseAbnormal if the connection ended without a
// close frame. Then Unwrap returns why: io.ErrUnexpectedEOF if the stream has ended, or the error of the connection.
type CloseError struct {
	Code   CloseCode
	Reason string
	cause  error // nil if a close frame has come
}

// Error returns the code, and the reason or the cause.
func (e *CloseError) Error() string {
	switch {
	case e.cause != nil:
		return "websocket: " + e.Code.String() + ": " + strings.TrimPrefix(e.cause.Error(), "websocket: ")
	case e.Reason != "":
		return "websocket: closed by the peer: " + e.Code.String() + ": " + strconv.Quote(e.Reason)
	}
	return "websocket: closed by the peer: " + e.Code.String()
}

// Unwrap returns the error with which the connection ended, nil if the peer has sent a close frame.
func (e *CloseError) Unwrap() error { return e.cause }

// CloseStatus returns the code of the *CloseError in err's chain, or 0 if there is none.
func CloseStatus(err error) CloseCode {
	if ce, ok := errors.AsType[*CloseError](err); ok {
		return ce.Code
	}
	return 0
}

// IsCloseError reports whether err is a *CloseError with one of codes.
func IsCloseError(err error, codes ...CloseCode) bool {
	ce, ok := errors.AsType[*CloseError](err)
	return ok && slices.Contains(codes, ce.Code)
}

// IsUnexpectedCloseError reports whether err is a *CloseError with a code that is not one of codes.
func IsUnexpectedCloseError(err error, codes ...CloseCode) bool {
	ce, ok := errors.AsType[*CloseError](err)
	return ok && !slices.Contains(codes, ce.Code)
}
