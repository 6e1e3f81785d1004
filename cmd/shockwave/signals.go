package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
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

// exitAtOnce exits the program at the second signal. It does nothing if ended is closed before that.
func exitAtOnce(s stop, ended <-chan struct{}, con console) {
	<-s.now.Done()
	select {
	case <-ended:
	default:
		fmt.Fprintln(con.err, "shockwave: ended by a second signal")
		os.Exit(1)
	}
}

// cutOffDelay is how long closing may exceed -linger before the remaining connections are cut off.
const cutOffDelay = 500 * time.Millisecond
