package load

import "sync/atomic"

// lengths remembers how long the first body with each status was. All methods may be called concurrently.
type lengths struct {
	first [1000]atomic.Int64 // and 1; 0 is not known yet
}

// expected tells whether a body of n bytes is as long as the first one with that status.
func (l *lengths) expected(status int, n int64) bool {
	first := &l.first[status]
	return first.Load() == n+1 || first.CompareAndSwap(0, n+1) ||
		first.Load() == n+1 // another answer has just been the first, and was as long
}
