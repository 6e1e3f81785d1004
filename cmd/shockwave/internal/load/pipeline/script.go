package pipeline

import "github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pace"

// InlineBytes limits how much a connection writes on its reading goroutine. That many bytes of unanswered requests fit
// the kernel's buffers, so the write does not block while the server waits for its responses to be read.
const InlineBytes = 32 << 10

// Script is what a connection sends: one request, or several that take turns. It is not changed while connections use it.
type Script struct {
	Turns  pace.Turns
	Heads  [][]byte // by turn; nil: there are none
	Bodies [][]byte // by turn
	Afresh bool     // each connection begins with the first request

	batch  []byte // consecutive requests, from any turn on; nil if a writer sends them
	starts []int  // offsets in batch of each request, and of the end
}

// MakeBatch puts the requests together for being written at once, up to depth of them.
func (s *Script) MakeBatch(depth int) {
	s.starts = []int{0}
	for i := range s.Turns.All - 1 + depth {
		turn := s.Turns.After(0, i)
		s.batch = append(append(s.batch, s.head(turn)...), s.Bodies[turn]...)
		s.starts = append(s.starts, len(s.batch))
	}
}

// Batched reports whether MakeBatch was called.
func (s *Script) Batched() bool { return s.starts != nil }

// Batch returns n requests from turn on. They must be batched.
func (s *Script) Batch(turn, n int) []byte { return s.batch[s.starts[turn]:s.starts[turn+n]] }

func (s *Script) head(turn int) []byte {
	if s.Heads == nil {
		return nil
	}
	return s.Heads[turn]
}
