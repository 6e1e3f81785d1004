package lot

import (
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// counter is a tenant that counts its events.
type counter struct {
	told atomic.Int64
	all  *sync.WaitGroup
}

func (c *counter) Event(Event) {
	c.told.Add(1)
	c.all.Done()
}

// Each of many tenants gets its event once, and the lot needs no goroutine for any of them.
func TestThousands(t *testing.T) {
	l := open(t)
	n := 2000
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil {
		n = min(n, int(limit.Cur)/2-100)
	}
	if n < 100 {
		t.Skip("too few descriptors")
	}
	before := runtime.NumGoroutine()
	nears, fars := make([]*end, n), make([]*end, n)
	counters, places := make([]counter, n), make([]Place, n)
	for i := range n {
		nears[i], fars[i] = socketPair(t)
	}
	var all sync.WaitGroup
	for i := range n {
		counters[i].all = &all
	}
	for range 2 {
		all.Add(n)
		for i := range n {
			ask(t, l, &places[i], &counters[i], nears[i], Input)
		}
		for _, i := range rand.Perm(n) {
			fars[i].write(t, "x")
		}
		if grown := runtime.NumGoroutine() - before; grown > 10 {
			t.Errorf("%d goroutines more", grown)
		}
		done := make(chan struct{})
		go func() {
			all.Wait()
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(patience):
			t.Fatal("not every tenant got its event")
		}
		for i := range n {
			nears[i].read(t, 1)
		}
	}
	settle(t, l)
	for i := range n {
		if told := counters[i].told.Load(); told != 2 {
			t.Fatalf("tenant %d got %d events", i, told)
		}
		l.Leave(&places[i], nears[i].raw)
	}
}

// careful is a tenant as a connection is one: its events and its place are under its own lock.
type careful struct {
	lot  *Lot
	mu   sync.Mutex
	near *end
	in   Place
	told int
}

func (c *careful) Event(Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told++
	if c.in.Held() {
		c.lot.Ask(&c.in, c, c.near.raw, Gone) // asks for the next event, as connections do
	}
}

// A tenant that has left is told nothing, while many ask, leave and close their sockets at the same time, so that
// descriptor numbers and places are reused at once. This is for the race detector.
func TestStorm(t *testing.T) {
	l := open(t)
	before := openFiles(t)
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(worker), 3))
			for range 150 {
				near, far := socketPairRaw()
				if near == nil {
					t.Error("no socket")
					return
				}
				c := &careful{lot: l, near: near}
				for range 1 + rng.IntN(3) {
					c.mu.Lock()
					if !l.Ask(&c.in, c, near.raw, Input|Gone) {
						t.Error("Ask fails")
					}
					c.mu.Unlock()
					if rng.IntN(2) == 0 {
						_, _ = far.file.WriteString("x")
					}
				}
				if rng.IntN(4) == 0 {
					_ = far.file.Close()
				}
				if rng.IntN(4) == 0 {
					_ = near.file.Close() // before its tenant leaves
				}
				c.mu.Lock()
				l.Leave(&c.in, near.raw)
				c.mu.Unlock()
				_, _ = near.file.Close(), far.file.Close()
			}
		})
	}
	all.Wait()
	settle(t, l)
	l.mu.Lock()
	if len(l.free) != len(l.places) {
		t.Errorf("%d of %d places are free", len(l.free), len(l.places))
	}
	if len(l.places) > 9 {
		t.Errorf("%d places for 9 tenants at a time", len(l.places))
	}
	l.mu.Unlock()
	if after := openFiles(t); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// socketPairRaw is socketPair outside the goroutine of the test, without a Cleanup.
func socketPairRaw() (near, far *end) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, nil
	}
	ends := [2]*end{}
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "socket")
		raw, err := f.SyscallConn()
		if err != nil {
			return nil, nil
		}
		ends[i] = &end{file: f, raw: raw}
	}
	return ends[0], ends[1]
}
