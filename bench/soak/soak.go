package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// soak is one run of the program.
type soak struct {
	out    io.Writer
	lasts  time.Duration // how long the mix runs
	every  time.Duration // time between two lines of output
	rate   int           // requests per second, 0 for no limit
	rounds int           // shutdowns under load
	seed   uint64
	loop   string // SHOCKWAVE_LOOP of the server process

	server     *process
	numbers    atomic.Uint64 // the last request number in use; no two requests have the same
	mostParked int64         // largest number of parked connections in any sample
}

// run runs the mix and the shutdown rounds. It returns an error if the servers misbehaved or leaked.
func (s *soak) run(ctx context.Context) (err error) {
	if s.server, err = startProcess(s.loop); err != nil {
		return err
	}
	defer func() {
		if e := s.server.stop(); e != nil && err == nil {
			err = fmt.Errorf("the server: %w", e)
		}
	}()
	fmt.Fprintf(s.out, "soak: %v at %d requests/s at most, then %d shutdowns; -seed %d\n",
		s.lasts, s.rate, s.rounds, s.seed)
	empty, err := s.baseline()
	if err != nil {
		return err
	}
	warm, err := s.mix(ctx)
	if err != nil || ctx.Err() != nil {
		return err
	}
	empty.RSS = warm.RSS // a process that has been under load never releases all of its memory
	for n := range s.rounds {
		if err := s.round(ctx, n); err != nil || ctx.Err() != nil {
			return err
		}
	}
	return s.compare("when all servers have been shut down", empty)
}

// baseline returns what the server process uses without servers. It starts and stops them once before, so that one-time
// allocations are included.
func (s *soak) baseline() (vitals, error) {
	if _, err := s.server.tell(cmdOpen); err != nil {
		return vitals{}, err
	}
	if _, err := s.server.tell(cmdShutdown); err != nil {
		return vitals{}, err
	}
	return s.waitIdle(nil)
}

// withoutGC is how long the mix runs, at its end, without garbage collection in the server process. A collection would
// close leaked descriptors before they are counted.
const withoutGC = 4 * time.Second

// mix runs all kinds of clients for s.lasts and compares what the server process uses before and after. It returns what it
// used before.
func (s *soak) mix(ctx context.Context) (before vitals, err error) {
	r, err := s.server.tell(cmdOpen)
	if err != nil {
		return before, err
	}
	// The first clients of each kind make the server allocate memory that it keeps: pools, thread stacks, runtime tables.
	warm := s.load(r.Targets)
	warming := min(max(s.lasts/10, 5*time.Second), 30*time.Second)
	s.runFor(ctx, warming, func(ctx context.Context) { warm.run(ctx, allKinds()) })
	if before, err = s.waitIdle(nil); err != nil {
		return before, err
	}
	fmt.Fprintln(s.out, "begins with", before)
	l := s.load(r.Targets)
	l.complete = true
	stop := s.reportLines(l)
	hold := time.AfterFunc(s.lasts-min(withoutGC, s.lasts/2), func() { s.server.tell(cmdHold) })
	s.runFor(ctx, s.lasts, func(ctx context.Context) { l.run(ctx, allKinds()) })
	hold.Stop()
	stop()
	if err := l.tally.verdict(s.out, allKinds()); err != nil {
		return before, err
	}
	if s.mostParked == 0 && s.loop != "plain" {
		return before, errors.New("no connection was ever parked")
	}
	if err := s.compare("when all clients have left", before); err != nil {
		return before, err
	}
	r, err = s.server.tell(cmdShutdown)
	if err == nil {
		fmt.Fprintf(s.out, "idle servers shut down in %v\n", r.Took.Round(time.Microsecond))
	}
	return before, err
}

// load returns clients for these targets. Each load has a random seed of its own.
func (s *soak) load(to []target) *load {
	s.seed++
	return &load{targets: to, tally: newTally(), limiter: newLimiter(s.rate), seed: s.seed, numbers: &s.numbers}
}

// runFor calls work with a context that is canceled after d.
func (s *soak) runFor(ctx context.Context, d time.Duration, work func(ctx context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	work(ctx)
}
