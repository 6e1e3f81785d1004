package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Stop tells a command when to stop: gracefully is done after the first signal, now after the second.
type Stop struct{ Gracefully, Now context.Context }

// OnSignals returns a stop that reacts to SIGINT and SIGTERM. release restores the default handling of the signals and
// ends both contexts.
func OnSignals() (s Stop, release func()) {
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
	return Stop{gracefully, now}, func() {
		signal.Stop(signals)
		close(released)
		first()
		second()
	}
}

// ExitOnSignals is OnSignals for a command that has nothing to finish at the second signal: the program exits then.
func ExitOnSignals(con Console) (s Stop, release func()) {
	s, restore := OnSignals()
	ended := make(chan struct{})
	go func() {
		<-s.Now.Done()
		select {
		case <-ended:
		default:
			fmt.Fprintln(con.Err, "shockwave: ended by a second signal")
			os.Exit(1)
		}
	}()
	return s, func() {
		close(ended) // before restore, which also ends s.Now
		restore()
	}
}

// CutOffDelay is how long closing may exceed -linger before the remaining connections are cut off.
const CutOffDelay = 500 * time.Millisecond
