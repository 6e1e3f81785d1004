package load

import "sync/atomic"

// likeness remembers the first good answer from a URL, which with Same the others must be like: its status and how long its
// body was. All methods may be called concurrently.
type likeness struct{ status, length first }

// wrong returns the count in errors of what is wrong with a whole answer; nil if nothing is. l is nil without Same.
func (l *likeness) wrong(status int, length int64, errors *Errors) *int64 {
	switch {
	case status >= 400 || l != nil && !l.status.equals(int64(status)):
		return &errors.Status
	case l != nil && !l.length.equals(length):
		return &errors.Length
	}
	return nil
}

// first is the value that came first.
type first struct{ plusOne atomic.Int64 } // 0: none has come

// equals reports whether n, which is not negative, is equal to the first value; if there is none yet, it is the first.
func (f *first) equals(n int64) bool {
	return f.plusOne.Load() == n+1 || f.plusOne.CompareAndSwap(0, n+1) ||
		f.plusOne.Load() == n+1 // another one has just been the first, and is equal
}
