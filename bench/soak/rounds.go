package main

import (
	"context"
	"fmt"
	"time"
)

// beforeShutdown is how long the load of a round runs before the servers are told to shut down. By then every kind of
// client has begun an exchange.
const beforeShutdown = 1500 * time.Millisecond

// round starts the servers anew and shuts them down under full load, which continues during the shutdown. Each request
// whose handler has begun must have got a whole and correct response, and no other request may have got one.
func (s *soak) round(ctx context.Context, n int) error {
	r, err := s.server.tell(cmdNoting)
	if err != nil {
		return err
	}
	l := s.load(r.Targets)
	l.limiter, l.closing = newLimiter(0), true
	l.tally.answered.begin()
	ctx, stopLoad := context.WithCancel(ctx)
	defer stopLoad()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.run(ctx, wellBehaved())
	}()
	pause(ctx, beforeShutdown)
	l.shutting.Store(true)
	r, err = s.server.tell(cmdShutdown)
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

// differences returns the numbers that are only in begun, and those that are only in answered.
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

// first returns at most the first ten numbers.
func first(all []uint64) []uint64 { return all[:min(len(all), 10)] }
