// Package besides sends requests at a fixed rate while other requests wait in handlers that sleep, and measures the latency of
// the former. It does so on one HTTP/2 connection, or on many connections of HTTP/1.1 and HTTP/2 to one port.
package besides

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/process"
)

// Options describe the load.
type Options struct {
	Addr             string
	PID              int // the server's process id
	Conns            int // connections of Mixed, half of them for each protocol
	Warmup, Duration time.Duration
}

// lateAfter is the delay after which a request counts as late. The latency of a request includes its delay.
const lateAfter = 5 * time.Millisecond

// requesters are functions that send a request and wait for the response. Each is called by a goroutine of its own, repeatedly.
type requesters struct {
	steady    []func() error // called at rate, all together
	asleep    []func() error // called again as soon as they return; their handlers sleep for sleepTime
	rate      float64        // per second
	sleepTime time.Duration
	took      chan []time.Duration // the latencies of each steady goroutine
	late      chan int             // the number of late requests of each steady goroutine
	failed    chan error
	stopped   chan struct{} // closed to stop the asleep goroutines
}

// run runs all goroutines and returns the account of the steady requests.
func (s *requesters) run(opt Options) (*load.Account, error) {
	s.took, s.late = make(chan []time.Duration, len(s.steady)), make(chan int, len(s.steady))
	s.failed, s.stopped = make(chan error, len(s.steady)+len(s.asleep)), make(chan struct{})
	var sleeping sync.WaitGroup
	for _, ask := range s.asleep {
		sleeping.Go(func() { s.runAsleep(ask) })
	}
	begin := time.Now().Add(20 * time.Millisecond)
	counted := begin.Add(opt.Warmup)
	every := time.Duration(float64(len(s.steady)) / s.rate * 1e9)
	for i, ask := range s.steady {
		first := begin.Add(every * time.Duration(i) / time.Duration(len(s.steady)))
		go s.runSteady(ask, first, every, counted, counted.Add(opt.Duration))
	}
	time.Sleep(time.Until(counted))
	before, err := look(opt.PID)
	if err != nil {
		return nil, err
	}
	time.Sleep(time.Until(counted.Add(opt.Duration)))
	after, err := look(opt.PID)
	if err != nil {
		return nil, err
	}
	return s.account(&before, &after, &sleeping)
}

// runSteady calls ask every period, beginning at at, until until. It reports the latencies of the requests due after from.
func (s *requesters) runSteady(ask func() error, at time.Time, every time.Duration, from, until time.Time) {
	var took []time.Duration
	late := 0
	for ; at.Before(until); at = at.Add(every) {
		time.Sleep(time.Until(at))
		sent := time.Now()
		if err := ask(); err != nil {
			s.failed <- err
			break
		}
		if !at.Before(from) {
			took = append(took, time.Since(at))
			if sent.Sub(at) > lateAfter {
				late++
			}
		}
	}
	s.took <- took
	s.late <- late
}

// runAsleep calls ask until s.stopped is closed. It reports an error if a response comes before the handler can have slept.
func (s *requesters) runAsleep(ask func() error) {
	for {
		began := time.Now()
		err := ask()
		if took := time.Since(began); err == nil && took < s.sleepTime {
			err = fmt.Errorf("the handler that should sleep answered after %v", took)
		}
		if err != nil {
			s.failed <- err
			return
		}
		select {
		case <-s.stopped:
			return
		default:
		}
	}
}

func (s *requesters) account(before, after *moment, sleeping *sync.WaitGroup) (*load.Account, error) {
	var all []time.Duration
	a := new(load.Account)
	for range s.steady {
		all = append(all, <-s.took...)
		a.Late += int64(<-s.late)
	}
	close(s.stopped)
	sleeping.Wait()
	select {
	case err := <-s.failed:
		return nil, err
	default:
	}
	if len(all) == 0 {
		return nil, errors.New("no request was answered")
	}
	slices.Sort(all)
	at := func(part float64) float64 { return float64(all[int(part*float64(len(all)-1))].Nanoseconds()) / 1e3 }
	a.Requests, a.Elapsed = int64(len(all)), after.at.Sub(before.at).Seconds()
	a.Rate = float64(a.Requests) / a.Elapsed
	a.Latency.P50, a.Latency.P99 = at(0.5), at(0.99)
	a.Target.User, a.Target.System = after.user-before.user, after.system-before.system
	a.CPU.User, a.CPU.System = after.own[0]-before.own[0], after.own[1]-before.own[1]
	return a, nil
}

// moment is a reading of the wall clock and of the CPU times.
type moment struct {
	at           time.Time
	user, system float64    // the server's CPU time, in seconds
	own          [2]float64 // this process's user and system CPU time, in seconds
}

func look(pid int) (m moment, err error) {
	if m.user, m.system, err = process.Times(pid); err != nil {
		return m, err
	}
	var own syscall.Rusage
	err = syscall.Getrusage(syscall.RUSAGE_SELF, &own)
	m.own = [2]float64{float64(own.Utime.Nano()) / 1e9, float64(own.Stime.Nano()) / 1e9}
	m.at = time.Now()
	return m, err
}
