package bufpool

import "sync/atomic"

// Shared is an immutable slice with a reference count. A holder may use Bytes until it calls Release. The last Release
// returns the slice to the pool. All methods may be called concurrently.
type Shared struct {
	b         []byte
	refs      atomic.Int32
	onRelease func(sent bool)
	sent      atomic.Bool
}

// Share returns a Shared for b. The caller gives up b and becomes the only holder.
func Share(b []byte) *Shared {
	s := &Shared{b: b}
	s.refs.Store(1)
	return s
}

// ShareFunc is Share with a callback: the last Release calls onRelease, on its goroutine and under any locks held there.
// sent reports whether MarkSent was called.
func ShareFunc(b []byte, onRelease func(sent bool)) *Shared {
	s := Share(b)
	s.onRelease = onRelease
	return s
}

// MarkSent notes that the slice has reached its receiver. The caller must be a holder.
func (s *Shared) MarkSent() {
	if s.onRelease != nil {
		s.sent.Store(true)
	}
}

// Bytes returns the slice.
func (s *Shared) Bytes() []byte { return s.b }

// Retain adds a holder. The caller must be a holder.
func (s *Shared) Retain() *Shared {
	if s.refs.Add(1) <= 1 {
		panic("bufpool: Retain of a slice that nobody holds")
	}
	return s
}

// Release removes a holder, the caller.
func (s *Shared) Release() {
	switch left := s.refs.Add(-1); {
	case left == 0:
		Put(s.b)
		s.b = nil
		if s.onRelease != nil {
			s.onRelease(s.sent.Load())
		}
	case left < 0:
		panic("bufpool: Release of a slice that nobody holds")
	}
}

// Sole reports whether the caller is the only holder.
func (s *Shared) Sole() bool { return s.refs.Load() == 1 }
