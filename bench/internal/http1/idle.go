package http1

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/hold"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

const (
	idleConns = 10_000
	idleTimes = 24 // measurements' durations that connections stay idle: 72 s by default
)

// manyFiles says that a process may not open as many files as there are connections, or nil.
func manyFiles() error {
	const spare = 100
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if limit.Max < idleConns+spare {
		return fmt.Errorf("a process may open %d files here, and needs %d (ulimit -Hn)", limit.Max, idleConns+spare)
	}
	return nil
}

// measureIdle returns by how much a peer's memory grows for each of many connections that have been idle for a while.
func measureIdle(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	// What the first requests make the server allocate once is no cost of an idle connection.
	if err := holdBriefly(ctx, s); err != nil {
		return nil, err
	}
	before, err := settle(ctx, s)
	if err != nil {
		return nil, err
	}
	h, err := hold.Open(ctx, s, idleConns, peer.PathText)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	if err := sleep(ctx, idleTimes*b.Duration); err != nil {
		return nil, err
	}
	after, err := settle(ctx, s)
	if err != nil {
		return nil, err
	}
	values := result.Values{rss.Key: float64(after.RSS-before.RSS) / idleConns}
	if s.Name != peer.Nginx {
		values[heap.Key] = (float64(after.HeapInUse) - float64(before.HeapInUse)) / idleConns
		values[goroutines.Key] = float64(after.Goroutines)
	}
	return values, h.Again()
}

func holdBriefly(ctx context.Context, s *process.Server) error {
	h, err := hold.Open(ctx, s, 100, peer.PathText)
	if err != nil {
		return err
	}
	h.Close()
	return nil
}

// settle has a peer give back what it can, a few times so that what finalizers and pools held goes too, and returns
// what is left. Of nginx only the resident memory is known.
func settle(ctx context.Context, s *process.Server) (state peer.State, err error) {
	for range 4 {
		if s.Name == peer.Nginx {
			state.RSS, err = peer.ReadRSS(s.PID)
		} else {
			state, err = s.Ask(peer.WordMemory)
		}
		if err != nil {
			return state, err
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			return state, err
		}
	}
	return state, nil
}

// sleep waits, or returns ctx's error when that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// idleTime is how long measureIdle takes for a peer that is measured beside three or four others.
func idleTime(d time.Duration) time.Duration { return idleTimes*d + 15*time.Second }
