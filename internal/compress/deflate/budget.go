package deflate

import "sync/atomic"

// Budget bounds the memory kept between messages, in bytes. All methods are safe for concurrent use.
type Budget struct{ limit, used atomic.Int64 }

// NewBudget returns a Budget of limit bytes.
func NewBudget(limit int64) *Budget {
	b := new(Budget)
	b.limit.Store(limit)
	return b
}

// SetLimit changes the limit. Bytes in use beyond the new limit stay in use until they are released.
func (b *Budget) SetLimit(limit int64) { b.limit.Store(limit) }

// Used returns the number of bytes in use.
func (b *Budget) Used() int64 { return b.used.Load() }

// Reserve takes n bytes and reports whether there is room for them; if not, it takes none.
func (b *Budget) Reserve(n int64) bool {
	if b.used.Add(n) <= b.limit.Load() {
		return true
	}
	b.used.Add(-n)
	return false
}

// Room reports whether there is room for n more bytes.
func (b *Budget) Room(n int64) bool { return b.used.Load()+n <= b.limit.Load() }

// Charge takes n bytes even if there is no room for them.
func (b *Budget) Charge(n int64) { b.used.Add(n) }

// Release returns n bytes.
func (b *Budget) Release(n int64) { b.used.Add(-n) }
