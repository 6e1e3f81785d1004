package clientpeer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Account is what the requests have cost the process.
type Account struct {
	Requests     int64   `json:"requests"`
	Elapsed      float64 `json:"elapsed_s"`
	User, System float64 // seconds of CPU time
	Mallocs      uint64  `json:"mallocs"`
}

// moment is a reading of the wall clock, the CPU time and the counters.
type moment struct {
	at      time.Time
	done    int64
	usage   syscall.Rusage
	mallocs uint64
}

// since returns the account of the time between two moments.
func (m *moment) since(began *moment) Account {
	return Account{
		Requests: m.done - began.done, Elapsed: m.at.Sub(began.at).Seconds(),
		User:    seconds(m.usage.Utime) - seconds(began.usage.Utime),
		System:  seconds(m.usage.Stime) - seconds(began.usage.Stime),
		Mallocs: m.mallocs - began.mallocs,
	}
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// loadRun is goroutines that send requests repeatedly.
type loadRun struct {
	done []counter
	stop atomic.Bool
	all  sync.WaitGroup
	errs chan error
}

// counter counts the requests of one goroutine. It fills a cache line.
type counter struct {
	atomic.Int64
	_ [56]byte
}

// ask starts n goroutines that send requests until end is called or one fails.
func ask(c measuredClient, x *exchange, n int) *loadRun {
	a := &loadRun{done: make([]counter, n), errs: make(chan error, n)}
	for i := range n {
		a.all.Go(func() {
			one := c.worker(x)
			for !a.stop.Load() {
				if err := one(); err != nil {
					a.errs <- err
					a.stop.Store(true)
					return
				}
				a.done[i].Add(1)
			}
		})
	}
	return a
}

func (a *loadRun) look() (m moment) {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	m.mallocs = mem.Mallocs
	syscall.Getrusage(syscall.RUSAGE_SELF, &m.usage)
	for i := range a.done {
		m.done += a.done[i].Load()
	}
	m.at = time.Now()
	return m
}

// end stops the goroutines and returns the first error.
func (a *loadRun) end() error {
	a.stop.Store(true)
	a.all.Wait()
	select {
	case err := <-a.errs:
		return err
	default:
		return nil
	}
}

// timeout is how much longer than its duration load waits for the first response, on a busy machine.
const timeout = 30 * time.Second

// load sends requests from at goroutines. It returns the account of the time after the warm-up, which lasts d, or longer if
// there is no response yet.
func load(c measuredClient, x *exchange, at int, warmup, d time.Duration) (Account, error) {
	a := ask(c, x, at)
	time.Sleep(warmup)
	began := a.look()
	time.Sleep(d)
	ended := a.look()
	for ended.done == began.done && !a.stop.Load() && ended.at.Sub(began.at) < d+timeout {
		time.Sleep(time.Millisecond)
		ended = a.look()
	}
	err := a.end()
	account := ended.since(&began)
	if err == nil && account.Requests == 0 {
		err = errors.New("no request was answered")
	}
	return account, err
}

// once sends one request from each of n goroutines, all at the same time.
func once(c measuredClient, x *exchange, n int) error {
	failed := make(chan error, n)
	for range n {
		go func() { failed <- c.worker(x)() }()
	}
	var first error
	for range n {
		if err := <-failed; first == nil {
			first = err
		}
	}
	return first
}

// growGoroutinePool starts n goroutines at the same time and waits until they end. The runtime keeps their memory, so later
// goroutines do not change the memory measurement.
func growGoroutinePool(n int) {
	var all sync.WaitGroup
	let := make(chan bool)
	for range n {
		all.Go(func() { <-let })
	}
	close(let)
	all.Wait()
}

// sockets returns how many open sockets the process has.
func sockets() (n int, err error) {
	const dir = "/proc/self/fd"
	names, err := os.ReadDir(dir)
	for _, name := range names {
		if link, _ := os.Readlink(filepath.Join(dir, name.Name())); strings.HasPrefix(link, "socket:") {
			n++
		}
	}
	if err != nil {
		return 0, fmt.Errorf("counting sockets: %w", err)
	}
	return n, nil
}
