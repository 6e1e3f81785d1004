package main

import (
	"fmt"
	"time"
)

// How much more the server may use afterwards than before. Goroutines and descriptors are counted, and each one more
// is a leak. Live objects differ by what pools happen to hold. Resident memory also has what the runtime never gives
// back: the stacks of threads, which are as many as the busiest moment needed, and tables that grow with the heap.
const (
	moreHeap = 1 << 20
	moreRSS  = 8 << 20
)

// settleLimit is how long what the clients left may take to end: the lingering close of a connection takes a second,
// the wait for a body that stalls a few.
const settleLimit = 20 * time.Second

// quiet waits until the server has ended every connection and has no more goroutines and descriptors than before, if
// that is known, or no fewer than a moment ago. It returns what the server uses when it has given back what it can.
func (s *soak) quiet(before *vitals) (vitals, error) {
	last := vitals{Goroutines: -1}
	for end := time.Now().Add(settleLimit); ; time.Sleep(200 * time.Millisecond) {
		r, err := s.server.tell(sayVitals)
		if err != nil {
			return last, err
		}
		v := r.Vitals
		still := v.Goroutines == last.Goroutines && v.Descriptors == last.Descriptors
		if before != nil {
			still = v.Goroutines <= before.Goroutines && v.Descriptors <= before.Descriptors
		}
		if still && v.Open == 0 && v.Streams == 0 || time.Now().After(end) {
			break
		}
		last = v
	}
	r, err := s.server.tell(saySettle)
	return r.Vitals, err
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
	case now.RSS > before.RSS+moreRSS:
		err = fmt.Errorf("%.1f MB resident, there were %.1f", megabytes(now.RSS), megabytes(before.RSS))
	}
	if err != nil {
		s.server.tell(sayStacks)
		return fmt.Errorf("%s: %w", when, err)
	}
	return nil
}
