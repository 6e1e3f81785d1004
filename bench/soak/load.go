package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// target is a listener of the server under test.
type target struct {
	Face string
	Addr string
	TLS  bool
}

// String returns a readable name of the target.
func (t target) String() string {
	if t.TLS {
		return t.Face + " over TLS"
	}
	return t.Face
}

// load is a number of clients that run episodes of their kinds until their context is done.
type load struct {
	targets  []target
	tally    *tally
	limiter  *limiter
	seed     uint64
	closing  bool           // the servers will be shut down while the load runs
	complete bool           // waits for the server's limits go on when the load ends until one of their kind has succeeded
	numbers  *atomic.Uint64 // the last request number in use
	shutting atomic.Bool    // the servers have been told to shut down
}

// run runs the clients of these kinds. It returns when the last client has ended, soon after ctx is done.
func (l *load) run(ctx context.Context, kinds []kind) {
	var clients sync.WaitGroup
	for i, k := range kinds {
		for n := range k.clients {
			rng := rand.New(rand.NewPCG(l.seed, uint64(i)<<32|uint64(n)))
			clients.Go(func() { l.runClient(ctx, k, rng) })
		}
	}
	clients.Wait()
}

// runClient runs the episodes of one client until ctx is done.
func (l *load) runClient(ctx context.Context, k kind, rng *rand.Rand) {
	gather := 2 * time.Second // spreads the clients' first episodes
	if l.closing {
		gather = 100 * time.Millisecond
	}
	pause(ctx, time.Duration(rng.Int64N(int64(gather))))
	for ctx.Err() == nil {
		c := &caller{load: l, kind: k.name, ctx: ctx, rng: rng, target: l.targets[rng.IntN(len(l.targets))]}
		err := k.episode(c)
		c.hangUp()
		switch {
		case err == errLoadEnded:
		case err != nil && l.closing && isUnanswered(err):
			pause(ctx, 10*time.Millisecond) // the listener is closed
		default:
			l.tally.episode(k.name, c.target, err)
			if err != nil {
				pause(ctx, 100*time.Millisecond) // without it a dead server would fill the list of errors at once
			}
		}
	}
}

// errLoadEnded is returned by an episode that had tested nothing yet when the load ended. It counts neither as a success nor as
// an error.
var errLoadEnded = fmt.Errorf("the load is over")
