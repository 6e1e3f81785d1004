package main

import (
	"context"
	"fmt"
	"time"
)

// beforeShutdown is how long a round's load runs until the servers are told to end: every kind of client is in the
// middle of something then.
const beforeShutdown = 1500 * time.Millisecond

// round shuts fresh servers down under full load. The load goes on meanwhile. Each request whose handler has begun must
// have been answered, whole and right, and no other may have been.
func (s *soak) round(ctx context.Context, n int) error {
	r, err := s.server.tell(sayNoting)
	if err != nil {
		return err
	}
	l := s.load(r.Targets)
	l.pace, l.closing = newPace(0), true
	l.tally.answered.begin()
	ctx, stopLoad := context.WithCancel(ctx)
	defer stopLoad()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.run(ctx, steady())
	}()
	pause(ctx, beforeShutdown)
	l.shutting.Store(true)
	r, err = s.server.tell(sayShutdown)
	stopLoad()
	<-ended
	if err != nil {
		return fmt.Errorf("shutdown after %v: %w", r.Took, err)
	}
	lost, early := differences(r.Begun, l.tally.answered.end())
	fmt.Fprintf(s.out, "shutdown %d under load took %v: %d requests begun, %d of them not answered, %d the reverse\n",
		n+1, r.Took.Round(time.Millisecond), len(r.Begun), len(lost), len(early))
	l.tally.mu.Lock()
	defer l.tally.mu.Unlock()
	for _, c := range l.tally.complaints {
		fmt.Fprintln(s.out, "  unexpected:", c)
	}
	if len(lost)+len(early) > 0 || l.tally.unexpected > 0 {
		return fmt.Errorf("shutdown %d: %d unexpected errors; begun and not answered: %v; the reverse: %v",
			n+1, l.tally.unexpected, first(lost), first(early))
	}
	return nil
}

// differences returns what is only in begun, and what is only in answered.
func differences(begun []uint64, answered map[uint64]struct{}) (lost, early []uint64) {
	for _, number := range begun {
		if _, ok := answered[number]; !ok {
			lost = append(lost, number)
		}
		delete(answered, number)
	}
	for number := range answered {
		early = append(early, number)
	}
	return lost, early
}

// first returns the first few of many.
func first(all []uint64) []uint64 { return all[:min(len(all), 10)] }
