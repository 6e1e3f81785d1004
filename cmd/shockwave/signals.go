package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// stop says when to end: gracefully is done at the first signal, now at the second.
type stop struct{ gracefully, now context.Context }

// onSignals returns a stop for SIGINT and SIGTERM. release gives the signals back to the system's own treatment.
func onSignals() (s stop, release func()) {
	gracefully, first := context.WithCancel(context.Background())
	now, second := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	released := make(chan struct{})
	go func() {
		for _, end := range []func(){first, second} {
			select {
			case <-signals:
				end()
			case <-released:
				return
			}
		}
	}()
	return stop{gracefully, now}, func() {
		signal.Stop(signals)
		close(released)
		first()
		second()
	}
}
