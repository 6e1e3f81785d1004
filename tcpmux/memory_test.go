package tcpmux_test

import (
	"context"
	"io"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// A message in each direction allocates nothing, whatever its size.
func TestNothingIsAllocated(t *testing.T) {
	if raceEnabled {
		t.Skip("pools forget under the race detector")
	}
	a, far := direct(t, tcpmux.Config{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, size := range sizes {
		c, err := a.Open("")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			d, _ := far.Accept(context.Background())
			echo(d, size)
		}()
		p, got := make([]byte, size), make([]byte, size)
		once := func() {
			if err := c.Send(ctx, p); err != nil {
				t.Error(err)
			}
			if _, err := c.ReceiveInto(ctx, got); err != nil {
				t.Error(err)
			}
		}
		for range 100 {
			once()
		}
		if n := allocations(once); n >= 0.5 {
			t.Errorf("%d bytes: %v allocations", size, n)
		}
		c.Close()
	}
}

// allocations returns how often a run of f allocates, on average. It leaves out the alarms of two sessions, which allocate and
// come as time passes, however slow the machine is: each session has one in 20 ms at most, to acknowledge what has come.
func allocations(f func()) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const runs = 300
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begun := time.Now()
	for range runs {
		f()
	}
	alarms := 2 * (1 + time.Since(begun)/(20*time.Millisecond))
	runtime.ReadMemStats(&after)
	return (float64(after.Mallocs-before.Mallocs) - float64(alarms)) / runs
}

// Reading a channel as a stream of bytes allocates nothing.
func TestStreamsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("pools forget under the race detector")
	}
	a, far := direct(t, tcpmux.Config{})
	c, err := a.Open("")
	if err != nil {
		t.Fatal(err)
	}
	x := c.Conn()
	defer x.Close()
	go func() {
		d, err := far.Accept(context.Background())
		if err != nil {
			return
		}
		y := d.Conn()
		defer y.Close()
		_, _ = io.Copy(y, struct{ io.Reader }{y})
	}()
	p := make([]byte, 3000)
	once := func() {
		if _, err := x.Write(p); err != nil {
			t.Error(err)
		}
		for range 3 {
			if _, err := io.ReadFull(x, p[:1000]); err != nil {
				t.Error(err)
			}
		}
	}
	for range 100 {
		once()
	}
	if n := allocations(once); n >= 0.5 {
		t.Errorf("%v allocations", n)
	}
}

// Idle sessions hold no buffer and no goroutine.
func TestIdleSessionsAreSmall(t *testing.T) {
	idle(t, 500, 1700, func(a, b *tcpmux.Session) {})
}

// Idle sessions that have had channels and large messages are as small as new ones.
func TestSessionsThatWereBusyAreSmall(t *testing.T) {
	big, got := make([]byte, 300_000), make([]byte, 300_000)
	idle(t, 60, 4000, func(a, b *tcpmux.Session) {
		for range 20 {
			x, err := a.Open("")
			if err == nil {
				err = x.Send(t.Context(), big)
			}
			if err != nil {
				t.Fatal(err)
			}
			y, err := b.Accept(t.Context())
			if err == nil {
				_, err = y.ReceiveInto(t.Context(), got)
			}
			if err != nil {
				t.Fatal(err)
			}
			x.Close()
			y.Close()
		}
	})
}

// idle bounds the heap that each side of a session holds when it has done something and is idle.
func idle(t *testing.T, n int, most uint64, do func(a, b *tcpmux.Session)) {
	t.Helper()
	if raceEnabled || runtime.GOOS != "linux" || os.Getenv("SHOCKWAVE_LOOP") == "plain" {
		t.Skip("sessions are parked on Linux, by the latched loop")
	}
	goroutines := runtime.NumGoroutine()
	l, err := tcpmux.Listen("tcp://127.0.0.1:0", tcpmux.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Shutdown(context.Background())
	sessions := func(n int) (all []*tcpmux.Session) {
		for range n {
			a, err := tcpmux.Dial(context.Background(), "tcp://"+l.Addr().String(), tcpmux.Config{})
			if err != nil {
				t.Fatal(err)
			}
			b, err := l.Accept(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			do(a, b)
			all = append(all, a)
		}
		return all
	}
	parked := func() { waits(t, "they are parked", func() bool { return runtime.NumGoroutine() <= goroutines+8 }) }
	warm := sessions(20)
	parked()
	before := heap()
	all := sessions(n)
	parked()
	each := uint64(0)
	for until := time.Now().Add(long); ; time.Sleep(10 * time.Millisecond) {
		if each = (max(heap(), before) - before) / uint64(2*n); each < most {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("%d bytes for each side of an idle session", each)
		}
	}
	t.Logf("%d bytes for each side of an idle session", each)
	for _, s := range append(warm, all...) {
		s.Close()
	}
}

// heap returns what is in use. Idle sessions have no goroutines, and so no stacks.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
