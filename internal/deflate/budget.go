package deflate

import "sync/atomic"

// Budget bounds what is kept between messages, in bytes. All methods may be called concurrently.
type Budget struct{ limit, used atomic.Int64 }

// NewBudget returns a Budget of so many bytes.
func NewBudget(limit int64) *Budget {
	b := new(Budget)
	b.limit.Store(limit)
	return b
}

// SetLimit changes the limit; what is beyond the new one stays until it is released.
func (b *Budget) SetLimit(limit int64) { b.limit.Store(limit) }

// Used returns how much is taken.
func (b *Budget) Used() int64 { return b.used.Load() }

// Reserve takes n bytes if there are so many.
func (b *Budget) Reserve(n int64) bool {
	if b.used.Add(n) <= b.limit.Load() {
		return true
	}
	b.used.Add(-n)
	return false
}

// Room reports whether there are n bytes.
func (b *Budget) Room(n int64) bool { return b.used.Load()+n <= b.limit.Load() }

// Charge takes n bytes whether there are so many or not.
func (b *Budget) Charge(n int64) { b.used.Add(n) }

// Release gives back n bytes that were taken.
func (b *Budget) Release(n int64) { b.used.Add(-n) }
