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

// String names the target for a reader.
func (t target) String() string {
	if t.TLS {
		return t.Face + " over TLS"
	}
	return t.Face
}

// load is a number of clients that do what their kinds say, until their context ends.
type load struct {
	targets  []target
	tally    *tally
	pace     *pace
	seed     uint64
	closing  bool           // the server will be shut down meanwhile
	numbers  *atomic.Uint64 // of requests, given out so far
	shutting atomic.Bool    // it has been told to
}

// run runs the clients of all kinds and returns when the last has ended, soon after ctx.
func (l *load) run(ctx context.Context, kinds []kind) {
	var clients sync.WaitGroup
	for i, k := range kinds {
		for n := range k.clients {
			dice := rand.New(rand.NewPCG(l.seed, uint64(i)<<32|uint64(n)))
			clients.Go(func() { l.live(ctx, k, dice) })
		}
	}
	clients.Wait()
}

// live has one client live through one episode after the other.
func (l *load) live(ctx context.Context, k kind, dice *rand.Rand) {
	gather := 2 * time.Second // they need not all begin at once
	if l.closing {
		gather = 100 * time.Millisecond
	}
	pause(ctx, time.Duration(dice.Int64N(int64(gather))))
	for ctx.Err() == nil {
		c := &caller{load: l, ctx: ctx, dice: dice, target: l.targets[dice.IntN(len(l.targets))]}
		err := k.episode(c)
		c.hangUp()
		switch {
		case err == errOver:
		case err != nil && l.closing && isUnanswered(err):
			pause(ctx, 10*time.Millisecond) // nobody listens any more
		default:
			l.tally.episode(k.name, c.target, err)
			if err != nil {
				pause(ctx, 100*time.Millisecond) // a server that is gone would fill the list at once
			}
		}
	}
}

// errOver ends an episode whose point had not come when the load ended.
var errOver = fmt.Errorf("the load is over")
