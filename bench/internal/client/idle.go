package client

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/clientpeer"
	"github.com/shockwave-go/shockwave/bench/internal/hold"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

const (
	idleConns = 10_000
	idleTimes = 12 // how long connections stay idle, in multiples of a measurement's duration: 36 s by default
)

// responseDelay is how long the server delays its responses, in milliseconds. It is long enough for all requests to be sent
// first, so that each needs a connection of its own.
const responseDelay = 8000

func manyFiles() error { return hold.ManyFiles(idleConns) }

// measureIdle returns how much memory each of many idle connections adds to a client's process.
func measureIdle(ctx context.Context, b *suite.Bench, s *process.Server) (values result.Values, err error) {
	backend, err := server(ctx, false, process.Second)
	if err != nil {
		return nil, err
	}
	defer backend.Stop()
	t := traffic{}
	do := func(what string, n int) (r clientpeer.Reply) {
		if err == nil {
			plan := t.plan(backend)
			plan.Do, plan.At, plan.Nap = what, n, responseDelay
			r, err = tell(s, plan)
		}
		return r
	}
	// The first requests make the client allocate memory once. That is not the cost of an idle connection.
	do(clientpeer.Hold, 100)
	before := settle(do)
	do(clientpeer.Hold, idleConns)
	if err == nil {
		err = process.Sleep(ctx, idleTimes*b.Duration)
	}
	after := settle(do)
	do(clientpeer.Reuse, idleConns)
	if err != nil {
		return nil, err
	}
	return result.Values{
		rss.Key:        float64(after.RSS-before.RSS) / idleConns,
		heap.Key:       (float64(after.HeapInUse) - float64(before.HeapInUse)) / idleConns,
		goroutines.Key: float64(after.Goroutines),
	}, nil
}

// settle makes a client return memory to the system, several times because pools release theirs only after more than one
// garbage collection. It returns what the client still uses.
func settle(do func(what string, n int) clientpeer.Reply) (r clientpeer.Reply) {
	for range 4 {
		r = do(clientpeer.Memory, idleConns)
		time.Sleep(200 * time.Millisecond)
	}
	return r
}

// idleTime returns how long measureIdle takes for a client that is measured together with the others.
func idleTime(d time.Duration) time.Duration { return idleTimes*d + 45*time.Second }
