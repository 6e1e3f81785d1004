// Package budget bounds memory that is held in many places, such as by all connections of a server.
package budget

import "sync/atomic"

// Budget counts bytes in use, and has a limit for them. All methods are safe for concurrent use. The zero Budget has the
// limit 0.
type Budget struct{ limit, used atomic.Int64 }

// New returns a Budget of limit bytes.
func New(limit int64) *Budget {
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
	if used := b.used.Add(n); used <= b.limit.Load() {
		return true
	}
	b.used.Add(-n)
	return false
}

// Room reports whether there is room for n more bytes.
func (b *Budget) Room(n int64) bool { return n <= b.limit.Load()-b.used.Load() }

// Charge takes n bytes even if there is no room for them.
func (b *Budget) Charge(n int64) { b.used.Add(n) }

// Release returns n bytes.
func (b *Budget) Release(n int64) { b.used.Add(-n) }
