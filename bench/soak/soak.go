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
	lasts  time.Duration // the mix
	every  time.Duration // between two lines
	rate   int           // requests per second, 0 for no limit
	rounds int           // shutdowns under load
	seed   uint64
	loop   string // SHOCKWAVE_LOOP of the server

	server     *process
	numbers    atomic.Uint64 // of requests: none is given out twice
	mostParked int64         // connections, in any line
}

// run fails if anything was not as it must be.
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
	empty, err := s.emptyHouse()
	if err != nil {
		return err
	}
	warm, err := s.mix(ctx)
	if err != nil || ctx.Err() != nil {
		return err
	}
	empty.RSS = warm.RSS // of a process that has been warm once
	for n := range s.rounds {
		if err := s.round(ctx, n); err != nil || ctx.Err() != nil {
			return err
		}
	}
	return s.compare("when all servers have been shut down", empty)
}

// emptyHouse returns what the server process uses with no server in it. One was there: what it needs once is there.
func (s *soak) emptyHouse() (vitals, error) {
	if _, err := s.server.tell(sayOpen); err != nil {
		return vitals{}, err
	}
	if _, err := s.server.tell(sayShutdown); err != nil {
		return vitals{}, err
	}
	return s.quiet(nil)
}

// uncollected is how long the mix runs, at its end, without a garbage collection in the server: that would close
// descriptors that were lost before anybody can count them.
const uncollected = 4 * time.Second

// mix runs everyone for the time, and compares what the server uses before, which it returns, and after.
func (s *soak) mix(ctx context.Context) (before vitals, err error) {
	r, err := s.server.tell(sayOpen)
	if err != nil {
		return before, err
	}
	// The first of each kind make the server allocate what it keeps: pools, stacks of threads, tables of the runtime.
	warm := s.load(r.Targets)
	warming := min(max(s.lasts/10, 5*time.Second), 30*time.Second)
	s.runFor(ctx, warming, func(ctx context.Context) { warm.run(ctx, everyone()) })
	if before, err = s.quiet(nil); err != nil {
		return before, err
	}
	fmt.Fprintln(s.out, "begins with", before)
	l := s.load(r.Targets)
	stop := s.reportLines(l)
	hold := time.AfterFunc(s.lasts-min(uncollected, s.lasts/2), func() { s.server.tell(sayHold) })
	s.runFor(ctx, s.lasts, func(ctx context.Context) { l.run(ctx, everyone()) })
	hold.Stop()
	stop()
	if err := l.tally.verdict(s.out, everyone()); err != nil {
		return before, err
	}
	if s.mostParked == 0 && s.loop != "plain" {
		return before, errors.New("no connection was ever parked")
	}
	if err := s.compare("when all clients have left", before); err != nil {
		return before, err
	}
	r, err = s.server.tell(sayShutdown)
	if err == nil {
		fmt.Fprintf(s.out, "idle servers shut down in %v\n", r.Took.Round(time.Microsecond))
	}
	return before, err
}

// load returns clients for these targets. No two loads throw the same dice.
func (s *soak) load(to []target) *load {
	s.seed++
	return &load{targets: to, tally: newTally(), pace: newPace(s.rate), seed: s.seed, numbers: &s.numbers}
}

// runFor runs work with a context that ends after d.
func (s *soak) runFor(ctx context.Context, d time.Duration, work func(ctx context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	work(ctx)
}
