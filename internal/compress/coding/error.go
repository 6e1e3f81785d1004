package coding

import "errors"

// Error says why a body cannot be decoded. Errors of the body's own reader, and io.ErrUnexpectedEOF for a body that ends
// early, are returned without it.
type Error struct {
	// Coding is the name of the coding that has failed, as it is in the list; for ErrTooMany it is the whole list.
	Coding string
	// Err is one of this package's errors, or an error of the decoder.
	Err error
}

// Error returns a message with the coding and the reason.
func (e *Error) Error() string { return "coding: " + e.Coding + ": " + e.Err.Error() }

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

var (
	// ErrUnknown means that a list has a coding that this package does not support.
	ErrUnknown = errors.New("unknown content coding")
	// ErrTooMany means that a list has more than four codings.
	ErrTooMany = errors.New("too many content codings")
	// ErrTooBig means that a decoded body is longer than Limits.Bytes.
	ErrTooBig = errors.New("body longer than the limit")
	// ErrRatio means that decoding a body expands it by more than Limits.Ratio.
	ErrRatio = errors.New("body grows more than the limit")
	// ErrTrailing means that there are bytes after the end of the encoded data.
	ErrTrailing = errors.New("bytes behind the end")

	errTwoReads = errors.New("coding: Read during a Read")
)
