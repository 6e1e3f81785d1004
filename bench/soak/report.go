package main

import (
	"fmt"
	"time"
)

// sampling is the time between two samples of the server's vitals while the mix runs.
const sampling = 500 * time.Millisecond

// reportLines samples the server's vitals and prints a line every s.every, until the returned function is called.
func (s *soak) reportLines(l *load) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(sampling)
		defer tick.Stop()
		start := time.Now()
		line, requests := start, int64(0)
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			r, err := s.server.tell(cmdVitals)
			if err != nil {
				fmt.Fprintln(s.out, "no vitals:", err)
				return
			}
			s.mostParked = max(s.mostParked, r.Vitals.Parked)
			if span := time.Since(line); span >= s.every-sampling/2 {
				line = time.Now()
				requests = s.printLine(l.tally, line.Sub(start), r.Vitals, requests, span)
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// printLine prints one line and returns the number of requests so far; last is that number span ago.
func (s *soak) printLine(t *tally, at time.Duration, v vitals, last int64, span time.Duration) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(s.out, "%7v  %d requests (%.0f/s), errors %d expected %d unexpected, %v\n", at.Round(time.Second),
		t.requests, float64(t.requests-last)/span.Seconds(), t.expected, t.unexpected, v)
	return t.requests
}
