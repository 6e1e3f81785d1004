package main

import (
	"fmt"
	"time"
)

// reportLines prints a line now and then until what it returns is called.
func (s *soak) reportLines(l *load) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(s.every)
		defer tick.Stop()
		start, last := time.Now(), int64(0)
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				last = s.reportLine(l, time.Since(start), last)
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// reportLine prints one line and returns how many requests there were so far; last is what it returned before.
func (s *soak) reportLine(l *load, at time.Duration, last int64) int64 {
	r, err := s.server.tell(sayVitals)
	if err != nil {
		fmt.Fprintln(s.out, "no vitals:", err)
		return last
	}
	s.mostParked = max(s.mostParked, r.Vitals.Parked)
	t := l.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(s.out, "%7v  %d requests (%.0f/s), errors %d expected %d unexpected, %v\n", at.Round(time.Second),
		t.requests, float64(t.requests-last)/s.every.Seconds(), t.expected, t.unexpected, r.Vitals)
	return t.requests
}
