package main

import (
	"fmt"
	"time"
)

// How many bytes more the server may use afterwards than before. Goroutines and descriptors have no such allowance: each
// additional one is a leak. The heap varies with the contents of pools. Resident memory includes memory that the runtime
// never releases: the stacks of threads, whose number is that of the busiest moment, and tables that grow with the heap.
// The race detector never releases its shadow memory, so resident memory is not compared under it.
const (
	heapSlack = 1 << 20
	rssSlack  = 8 << 20
)

// settleLimit is how long the server's connections may take to end after the clients have left: a lingering close takes
// a second, the wait for a stalled body a few.
const settleLimit = 20 * time.Second

// idleSamples is how many samples in a row must show the same numbers before the server counts as idle. Its timers, for
// example, run on for a moment after the last connection has ended.
const idleSamples = 8

// waitIdle waits until the server has no connections and no more goroutines and descriptors than before. If before is nil,
// it waits until their numbers stay the same for a while. It gives up after settleLimit. It returns what the server uses
// then; memory is measured last, after a garbage collection, because the collection also closes leaked descriptors.
func (s *soak) waitIdle(before *vitals) (now vitals, err error) {
	end := time.Now().Add(settleLimit)
	for same := 0; same < idleSamples && time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		last := now
		r, err := s.server.tell(cmdVitals)
		if err != nil {
			return now, err
		}
		now = r.Vitals
		switch {
		case now.Open > 0 || now.Streams > 0:
			same = 0
		case before != nil && now.Goroutines <= before.Goroutines && now.Descriptors <= before.Descriptors:
			same = idleSamples
		case now.Goroutines == last.Goroutines && now.Descriptors == last.Descriptors:
			same++
		default:
			same = 0
		}
	}
	r, err := s.server.tell(cmdSettle)
	now.RSS, now.Heap = r.Vitals.RSS, r.Vitals.Heap
	return now, err
}

// compare fails if the server uses more than before.
func (s *soak) compare(when string, before vitals) error {
	now, err := s.waitIdle(&before)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s: %v\n", when, now)
	switch {
	case now.Open > 0 || now.Streams > 0:
		err = fmt.Errorf("%d connections and %d streams are left", now.Open, now.Streams)
	case now.Goroutines > before.Goroutines:
		err = fmt.Errorf("%d goroutines, there were %d", now.Goroutines, before.Goroutines)
	case now.Descriptors > before.Descriptors:
		err = fmt.Errorf("%d descriptors, there were %d", now.Descriptors, before.Descriptors)
	case now.Heap > before.Heap+heapSlack:
		err = fmt.Errorf("%.1f MB of heap, there were %.1f", megabytes(now.Heap), megabytes(before.Heap))
	case now.RSS > before.RSS+rssSlack && !raceDetector:
		err = fmt.Errorf("%.1f MB resident, there were %.1f", megabytes(now.RSS), megabytes(before.RSS))
	}
	if err != nil {
		s.server.tell(cmdStacks)
		return fmt.Errorf("%s: %w", when, err)
	}
	return nil
}
