package main

import (
	"fmt"
	"time"
)

// How much more the server may use afterwards than before. Goroutines and descriptors are counted, and each one more
// is a leak. Live objects differ by what pools happen to hold. Resident memory also has what the runtime never gives
// back: the stacks of threads, which are as many as the busiest moment needed, and tables that grow with the heap. The
// race detector never gives back its shadow of memory that was in use: with it resident memory tells nothing.
const (
	moreHeap = 1 << 20
	moreRSS  = 8 << 20
)

// settleLimit is how long what the clients have left may take to end: the lingering close of a connection takes a
// second, the wait for a body that stalls a few.
const settleLimit = 20 * time.Second

// quietLooks is how many looks in a row must see the same before what they see is taken for what the server needs when
// it has nothing to do. Its clocks, for example, tick on for a moment.
const quietLooks = 8

// quiet waits until the server has ended every connection and has no more goroutines and descriptors than before, if
// that is known, or the same ones for a while. It returns what the server uses then, and of memory what is left when it
// has given back what it can. That comes last, since a collection closes descriptors that were lost.
func (s *soak) quiet(before *vitals) (now vitals, err error) {
	end := time.Now().Add(settleLimit)
	for same := 0; same < quietLooks && time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		last := now
		r, err := s.server.tell(sayVitals)
		if err != nil {
			return now, err
		}
		now = r.Vitals
		switch {
		case now.Open > 0 || now.Streams > 0:
			same = 0
		case before != nil && now.Goroutines <= before.Goroutines && now.Descriptors <= before.Descriptors:
			same = quietLooks
		case now.Goroutines == last.Goroutines && now.Descriptors == last.Descriptors:
			same++
		default:
			same = 0
		}
	}
	r, err := s.server.tell(saySettle)
	now.RSS, now.Heap = r.Vitals.RSS, r.Vitals.Heap
	return now, err
}

// compare fails if the server uses more than before.
func (s *soak) compare(when string, before vitals) error {
	now, err := s.quiet(&before)
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
	case now.Heap > before.Heap+moreHeap:
		err = fmt.Errorf("%.1f MB of heap, there were %.1f", megabytes(now.Heap), megabytes(before.Heap))
	case now.RSS > before.RSS+moreRSS && !raceDetector:
		err = fmt.Errorf("%.1f MB resident, there were %.1f", megabytes(now.RSS), megabytes(before.RSS))
	}
	if err != nil {
		s.server.tell(sayStacks)
		return fmt.Errorf("%s: %w", when, err)
	}
	return nil
}
