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
	idleTimes = 12 // measurements' durations that connections stay idle: 36 s by default
)

// napTime is how late all connections are answered: so late that all have been asked for.
const napTime = 8000

func manyFiles() error { return hold.ManyFiles(idleConns) }

// measureIdle returns by how much a client's memory grows for each of many connections that it keeps.
func measureIdle(ctx context.Context, b *suite.Bench, s *process.Server) (values result.Values, err error) {
	behind, err := server(ctx, false, process.Second)
	if err != nil {
		return nil, err
	}
	defer behind.Stop()
	t := traffic{}
	do := func(what string, n int) (r clientpeer.Reply) {
		if err == nil {
			plan := t.plan(behind)
			plan.Do, plan.At, plan.Nap = what, n, napTime
			r, err = tell(s, plan)
		}
		return r
	}
	// What the first requests make the client allocate once is no cost of an idle connection.
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

// settle has a client give back what it can, a few times so that what pools held goes too.
func settle(do func(what string, n int) clientpeer.Reply) (r clientpeer.Reply) {
	for range 4 {
		r = do(clientpeer.Memory, idleConns)
		time.Sleep(200 * time.Millisecond)
	}
	return r
}

// idleTime is how long that takes for a client that is measured beside the others.
func idleTime(d time.Duration) time.Duration { return idleTimes*d + 45*time.Second }
