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

// Account is what asking has cost the process.
type Account struct {
	Requests     int64   `json:"requests"`
	Elapsed      float64 `json:"elapsed_s"`
	User, System float64 // seconds of processor time
	Mallocs      uint64  `json:"mallocs"`
}

// moment is what the clocks said at one time.
type moment struct {
	at      time.Time
	done    int64
	usage   syscall.Rusage
	mallocs uint64
}

// since is the account between two moments.
func (m *moment) since(began *moment) Account {
	return Account{
		Requests: m.done - began.done, Elapsed: m.at.Sub(began.at).Seconds(),
		User:    seconds(m.usage.Utime) - seconds(began.usage.Utime),
		System:  seconds(m.usage.Stime) - seconds(began.usage.Stime),
		Mallocs: m.mallocs - began.mallocs,
	}
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

// asking are goroutines that ask again and again.
type asking struct {
	done []counter
	stop atomic.Bool
	all  sync.WaitGroup
	errs chan error
}

// counter is one goroutine's, in a cache line of its own.
type counter struct {
	atomic.Int64
	_ [56]byte
}

// ask has n goroutines ask until it is stopped, or one fails.
func ask(c asker, x *exchange, n int) *asking {
	a := &asking{done: make([]counter, n), errs: make(chan error, n)}
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

func (a *asking) look() (m moment) {
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

// end stops all and returns the first error.
func (a *asking) end() error {
	a.stop.Store(true)
	a.all.Wait()
	select {
	case err := <-a.errs:
		return err
	default:
		return nil
	}
}

// patience is how much longer than it was told load waits for the first answer, on a machine that is busy.
const patience = 30 * time.Second

// load has goroutines ask, and returns what that has cost between the warm-up and the end, which comes when d has passed and
// something was answered.
func load(c asker, x *exchange, at int, warmup, d time.Duration) (Account, error) {
	a := ask(c, x, at)
	time.Sleep(warmup)
	began := a.look()
	time.Sleep(d)
	ended := a.look()
	for ended.done == began.done && !a.stop.Load() && ended.at.Sub(began.at) < d+patience {
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

// once has each of n goroutines ask once, all at the same time.
func once(c asker, x *exchange, n int) error {
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

// crowd has n goroutines wait for each other: what they leave behind is there before memory is looked at.
func crowd(n int) {
	var all sync.WaitGroup
	let := make(chan bool)
	for range n {
		all.Go(func() { <-let })
	}
	close(let)
	all.Wait()
}

// sockets tells how many sockets the process has.
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
