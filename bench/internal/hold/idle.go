package hold

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
)

// ManyFiles says that a process may not open as many files as there are connections, or nil.
func ManyFiles(conns int) error {
	const spare = 100
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if limit.Max < uint64(conns+spare) {
		return fmt.Errorf("a process may open %d files here, and needs %d (ulimit -Hn)", limit.Max, conns+spare)
	}
	return nil
}

// Memory is what a connection adds to a peer's process, in bytes, and how many goroutines the process has in all. Of
// other people's programs only the resident memory is known.
type Memory struct{ RSS, Heap, Goroutines float64 }

// Idle returns what each of n connections adds that have been idle for d. open opens so many; they are used again in the
// end.
func Idle(ctx context.Context, s *process.Server, n int, d time.Duration, open func(n int) (*Holder, error)) (m Memory, err error) {
	// What the first requests make the server allocate once is no cost of an idle connection.
	h, err := open(100)
	if err != nil {
		return m, err
	}
	h.Close()
	before, err := settle(ctx, s)
	if err != nil {
		return m, err
	}
	if h, err = open(n); err != nil {
		return m, err
	}
	defer h.Close()
	if err := process.Sleep(ctx, d); err != nil {
		return m, err
	}
	after, err := settle(ctx, s)
	if err != nil {
		return m, err
	}
	m.RSS = float64(after.RSS-before.RSS) / float64(n)
	m.Heap = (float64(after.HeapInUse) - float64(before.HeapInUse)) / float64(n)
	m.Goroutines = float64(after.Goroutines)
	return m, h.Again()
}

// settle has a peer give back what it can, a few times so that what finalizers and pools held goes too, and returns
// what is left.
func settle(ctx context.Context, s *process.Server) (state peer.State, err error) {
	for range 4 {
		if s.Foreign() {
			state.RSS, err = peer.ReadRSS(s.PID)
		} else {
			state, err = s.Ask(peer.WordMemory)
		}
		if err != nil {
			return state, err
		}
		if err := process.Sleep(ctx, 200*time.Millisecond); err != nil {
			return state, err
		}
	}
	return state, nil
}
