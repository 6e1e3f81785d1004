package hold

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
)

// ManyFiles returns an error if a process may not open enough files for that many connections.
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

// Memory is what a connection adds to a peer's process, in bytes, and how many goroutines the process has in total. If the
// peer is a program of its own, only RSS is known.
type Memory struct{ RSS, Heap, Goroutines float64 }

// Idle returns what each of n connections adds after they have been idle for d. It calls open to open the connections, and
// checks at the end that they still work.
func Idle(ctx context.Context, s *process.Server, n int, d time.Duration, open func(n int) (*Holder, error)) (m Memory, err error) {
	// The first requests make the server allocate memory once. That is not the cost of an idle connection.
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

// settle makes a peer return memory to the system and returns what the peer still uses. It does so several times, because
// finalizers and pools release their memory only after more than one garbage collection.
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
