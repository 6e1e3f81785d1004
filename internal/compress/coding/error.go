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
func (e *Error) Error() string {
	return "content encoding " + e.Coding + " could not be decoded: " + e.Err.Error()
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

var (
	// ErrUnknown means that a list has a coding that this package does not support.
	ErrUnknown = errors.New("unknown content encoding")
	// ErrTooMany means that a list has more than four codings.
	ErrTooMany = errors.New("too many content encodings")
	// ErrTooBig means that a decoded body is longer than Limits.Bytes.
	ErrTooBig = errors.New("decompressed body too large")
	// ErrRatio means that decoding a body expands it by more than Limits.Ratio.
	ErrRatio = errors.New("decompressed body too large for the received bytes")
	// ErrTrailing means that there are bytes after the end of the encoded data.
	ErrTrailing = errors.New("data after the end")

	errTwoReads = errors.New("coding: Read during a Read")
)
