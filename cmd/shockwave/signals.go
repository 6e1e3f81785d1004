package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// stop tells a command when to stop: gracefully is done after the first signal, now after the second.
type stop struct{ gracefully, now context.Context }

// onSignals returns a stop that reacts to SIGINT and SIGTERM. release restores the default handling of the signals and
// ends both contexts.
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
