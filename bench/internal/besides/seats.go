// Package besides asks at a steady rate while other requests wait in handlers that sleep, and tells how long those that
// do not sleep took. On one connection of HTTP/2, and on many of HTTP/1.1 and HTTP/2 to one port.
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

// Options say what load is made.
type Options struct {
	Addr             string
	PID              int // the server's
	Conns            int // of Mixed, half of them for each protocol
	Warmup, Duration time.Duration
}

// tardy is how long after its time a request is called late. Its latency counts from when it was to be sent.
const tardy = 5 * time.Millisecond

// seats are those that ask: each one thing after the other.
type seats struct {
	steady  []func() error // at rate, all together
	asleep  []func() error // as often as they are answered, which takes nap each time
	rate    float64
	nap     time.Duration
	took    chan []time.Duration
	late    chan int
	failed  chan error
	stopped chan struct{}
}

// run has all ask and returns the account of the steady ones.
func (s *seats) run(opt Options) (*load.Account, error) {
	s.took, s.late = make(chan []time.Duration, len(s.steady)), make(chan int, len(s.steady))
	s.failed, s.stopped = make(chan error, len(s.steady)+len(s.asleep)), make(chan struct{})
	var sleeping sync.WaitGroup
	for _, ask := range s.asleep {
		sleeping.Go(func() { s.doze(ask) })
	}
	begin := time.Now().Add(20 * time.Millisecond)
	counted := begin.Add(opt.Warmup)
	every := time.Duration(float64(len(s.steady)) / s.rate * 1e9)
	for i, ask := range s.steady {
		first := begin.Add(every * time.Duration(i) / time.Duration(len(s.steady)))
		go s.sit(ask, first, every, counted, counted.Add(opt.Duration))
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

// sit asks at its times, and keeps how long those took that count.
func (s *seats) sit(ask func() error, at time.Time, every time.Duration, from, until time.Time) {
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
			if sent.Sub(at) > tardy {
				late++
			}
		}
	}
	s.took <- took
	s.late <- late
}

// doze asks until the end. That an answer took no nap is an error.
func (s *seats) doze(ask func() error) {
	for {
		began := time.Now()
		err := ask()
		if took := time.Since(began); err == nil && took < s.nap {
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

func (s *seats) account(before, after *moment, sleeping *sync.WaitGroup) (*load.Account, error) {
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

// moment is what the clocks said at one time.
type moment struct {
	at           time.Time
	user, system float64    // of the server, in seconds
	own          [2]float64 // this process's
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
