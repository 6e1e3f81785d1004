package bufpool

import "sync/atomic"

// Shared is a slice that several holders read and nobody changes. Whoever holds it may use Bytes until it calls
// Release; with the last Release the slice goes back to the pool. All methods may be called concurrently.
type Shared struct {
	b         []byte
	refs      atomic.Int32
	onRelease func(sent bool)
	sent      atomic.Bool
}

// Share makes b, which is the caller's, a slice that the caller holds once and may let others hold.
func Share(b []byte) *Shared {
	s := &Shared{b: b}
	s.refs.Store(1)
	return s
}

// ShareFunc is Share of a slice with whose last Release gone is called, on the goroutine of that and with whatever it has
// locked: sent reports whether MarkSent was called.
func ShareFunc(b []byte, gone func(sent bool)) *Shared {
	s := Share(b)
	s.onRelease = gone
	return s
}

// MarkSent says that the slice has reached whom it was for. A holder calls it.
func (s *Shared) MarkSent() {
	if s.onRelease != nil {
		s.sent.Store(true)
	}
}

// Bytes returns the slice.
func (s *Shared) Bytes() []byte { return s.b }

// Retain counts one more holder. Only a holder may call it.
func (s *Shared) Retain() *Shared {
	if s.refs.Add(1) <= 1 {
		panic("bufpool: Retain of a slice that nobody holds")
	}
	return s
}

// Release counts one holder less.
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
