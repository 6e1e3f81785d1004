package coding

import "errors"

// Error says why a body's codings cannot be undone. Errors of the body's own reader, and io.ErrUnexpectedEOF for one
// that ends early, are returned as they are.
type Error struct {
	// Coding is the one that is about, as the list has it; the whole list for ErrTooMany.
	Coding string
	// Err is one of this package's errors, or the decoder's.
	Err error
}

// Error names the coding and what is wrong.
func (e *Error) Error() string { return "coding: " + e.Coding + ": " + e.Err.Error() }

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

var (
	// ErrUnknown means that a list has a coding which this package does not know.
	ErrUnknown = errors.New("unknown content coding")
	// ErrTooMany means that a list has more than four codings.
	ErrTooMany = errors.New("too many content codings")
	// ErrTooBig means that a body becomes longer than Limits.Bytes.
	ErrTooBig = errors.New("body longer than the limit")
	// ErrRatio means that a body grows by more than Limits.Ratio.
	ErrRatio = errors.New("body grows more than the limit")
	// ErrTrailing means that bytes come behind the end of what is coded.
	ErrTrailing = errors.New("bytes behind the end")

	errTwoReads = errors.New("coding: Read during a Read")
)
