package drive

import (
	"sync/atomic"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

// sameCheck remembers the first good response from a URL. With Plan.Same the other ones must have the same status and
// body length. All methods may be called concurrently.
type sameCheck struct{ status, length firstValue }

// wrong returns the error counter for a complete response, or nil if nothing is wrong. l is nil without Plan.Same.
func (l *sameCheck) wrong(status int, length int64, errors *account.Errors) *int64 {
	switch {
	case status >= 400 || l != nil && !l.status.equals(int64(status)):
		return &errors.Status
	case l != nil && !l.length.equals(length):
		return &errors.Length
	}
	return nil
}

// firstValue remembers the first value.
type firstValue struct{ plusOne atomic.Int64 } // value + 1; 0: none yet

// equals reports whether n, which must not be negative, equals the first value. If there is none yet, n becomes the
// first.
func (f *firstValue) equals(n int64) bool {
	return f.plusOne.Load() == n+1 || f.plusOne.CompareAndSwap(0, n+1) ||
		f.plusOne.Load() == n+1 // another goroutine has just set it
}
