package netconn_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// Entries in the lot are index and generation, never a bare descriptor number. Connections are parked, closed and opened
// so that the kernel reuses the same numbers; an event that reached the wrong connection would show as a wrong response,
// one end too many, or none at all.
func TestDescriptorNumbersReused(t *testing.T) {
	const clients = 20
	rounds := 25
	if raceEnabled || testing.Short() {
		rounds = 10
	}
	atOnce(t, func(k kind) bool { return isLatched(k) && !k.tls }, func(t *testing.T, k kind) {
		var names atomic.Int64
		r := newRig(t, k)
		r.start(netconn.Config{IdlePark: time.Microsecond, New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
			name := ""
			return &protocol{r: r, data: lines(func(c *netconn.Conn, line string) error {
				if name == "" {
					name = line
				}
				return echo(c, name+" "+line)
			})}, nil
		}}, r.listen())
		var wg sync.WaitGroup
		var opened atomic.Int64
		for range clients {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(rand.Uint64(), 1))
				for range rounds {
					nc, err := r.connect()
					if err != nil {
						t.Error(err)
						return
					}
					opened.Add(1)
					name := fmt.Sprintf("n%d", names.Add(1))
					ok := churnOne(t, nc, name, rng)
					_ = nc.Close()
					if !ok {
						return
					}
				}
			})
		}
		wg.Wait()
		for range opened.Load() {
			r.wantEnd()
		}
		eventually(t, "the lot to be empty", func() bool { s := r.eng.Stats(); return s.Parked == 0 && s.Open == 0 })
		if n := len(r.ends); n != 0 {
			t.Errorf("%d ends too many", n)
		}
	})
}

// churnOne sends a few lines on nc, with pauses in which it parks, and then leaves in one of three ways.
func churnOne(t *testing.T, nc net.Conn, name string, rng *rand.Rand) bool {
	for range 1 + rng.IntN(3) {
		_ = nc.SetDeadline(time.Now().Add(patience))
		if _, err := io.WriteString(nc, name+"\n"); err != nil {
			t.Error(err)
			return false
		}
		want := name + " " + name + "\n"
		p := make([]byte, len(want))
		if _, err := io.ReadFull(nc, p); err != nil || string(p) != want {
			t.Errorf("%s got %q, %v", name, p, err)
			return false
		}
		time.Sleep(time.Duration(rng.IntN(12_000)) * time.Microsecond)
	}
	switch tcp, ok := nc.(*net.TCPConn); {
	case ok && rng.IntN(3) == 0:
		_ = tcp.SetLinger(0)
	case rng.IntN(3) == 0:
		_, _ = io.WriteString(nc, "half a line")
	}
	return true
}

// A buffer goes back to the pool as soon as it is empty, long before the connection parks.
func TestIdleHoldsNoBuffer(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector changes what memory means")
	}
	onSome(t, func(k kind) bool { return isLatched(k) && !k.tls }, func(t *testing.T, k kind) {
		const count, buffer = 300, 64 << 10
		r := serve(t, k, netconn.Config{IdlePark: -1, ReadBuffer: buffer}, lines(echo))
		before := heapInUse()
		for range count {
			talk := r.dial()
			talk.Send("hello\n")
			talk.Want("hello\n")
		}
		// The last responses are sent, but their goroutines may not wait yet.
		eventually(t, "buffers to go back", func() bool { return heapInUse()-before < count*buffer/4 })
	})
}

// heapInUse returns the bytes of live objects. Two collections empty a sync.Pool.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A parked connection keeps an entry in the lot, but no stack and no buffer. The bound covers both ends, because the
// client's end is in this process too.
func TestParkedIsSmall(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector changes what memory means")
	}
	onSome(t, func(k kind) bool { return isLatched(k) && !k.tls && isTCP(k) }, func(t *testing.T, k kind) {
		const count, bound = 1000, 4 << 10
		r := serve(t, k, netconn.Config{IdlePark: millis(10)}, lines(echo))
		before := heapInUse()
		conns := make([]net.Conn, count)
		for i := range conns {
			nc, err := r.connect()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = nc.Close() }()
			conns[i] = nc
			p := make([]byte, 6)
			if _, err := io.WriteString(nc, "hello\n"); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(nc, p); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, "all of them to park", func() bool { return r.eng.Stats().Parked == count })
		heap := heapInUse() - before
		if perConn := heap / count; perConn > bound {
			t.Errorf("%d bytes of heap for each connection, both ends, want at most %d", perConn, bound)
		} else {
			t.Logf("%d bytes of heap for each connection, both ends", perConn)
		}
		// The runtime keeps some of the stacks that goroutines leave; what counts is that no goroutine has one.
		eventually(t, "the goroutines to end", func() bool { return runtime.NumGoroutine() < count/20 })
		runtime.KeepAlive(conns)
	})
}

// The lot tells whether the client has gone; no goroutine waits in a read for it.
func TestOnGoneCostsNoGoroutine(t *testing.T) {
	onSome(t, func(k kind) bool { return isLatched(k) && !k.tls }, func(t *testing.T, k kind) {
		const count = 50
		release := make(chan struct{})
		var waiting atomic.Int64
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			c.OnGone(func() {})
			waiting.Add(1)
			<-release
			return nil
		}))
		before := runtime.NumGoroutine()
		for range count {
			r.dial().Send("x\n")
		}
		eventually(t, "all of them to wait", func() bool { return waiting.Load() == count })
		if n := runtime.NumGoroutine() - before; n > count+10 {
			t.Errorf("%d goroutines for %d connections that wait", n, count)
		}
		close(release)
	})
}

// While Data runs, bytes that arrive cause no events. A connection is watched for one event at a time: repeated events
// would keep a core busy for as long as Data blocks.
func TestLotIsSilentForTheBusy(t *testing.T) {
	onSome(t, func(k kind) bool { return isLatched(k) && !k.tls }, func(t *testing.T, k kind) {
		at, release := make(chan struct{}), make(chan struct{})
		r := serve(t, k, netconn.Config{IdlePark: millis(1)}, lines(func(c *netconn.Conn, line string) error {
			if line == "block" {
				at <- struct{}{}
				<-release
			}
			return echo(c, line)
		}))
		talk := r.dial()
		eventually(t, "the connection to park", func() bool { return r.eng.Stats().Parked == 1 })
		talk.Send("block\n")
		within(t, "Data", at)
		talk.Send("more\n")
		before := cpuTime(t)
		time.Sleep(millis(200))
		if used := cpuTime(t) - before; used > millis(100) {
			t.Errorf("%v of CPU in 200 ms in which nothing happened", used)
		}
		close(release)
		talk.Want("block\nmore\n")
	})
}

// cpuTime returns how much CPU time this process has used.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		t.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// dribble is a connection that sends every byte alone.
type dribble struct{ net.Conn }

func (d dribble) Write(p []byte) (int, error) {
	for i := range p {
		if _, err := d.Conn.Write(p[i : i+1]); err != nil {
			return i, err
		}
		if i%16 == 15 {
			time.Sleep(50 * time.Microsecond) // lets the server see a piece of a record
		}
	}
	return len(p), nil
}

// A TLS record that arrives in parts is read when the rest comes. The layer below TLS keeps the part and returns "would
// block", which crypto/tls must not take for the end.
func TestRecordsInPieces(t *testing.T) {
	atOnce(t, isTLS, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{IdlePark: time.Microsecond}, lines(echo))
		below, err := r.connectTransport()
		if err != nil {
			t.Fatal(err)
		}
		client := tls.Client(dribble{below}, &tls.Config{InsecureSkipVerify: true})
		talk := wiretest.NewTalk(t, client)
		for _, size := range []int{1, 100, 2000, 1} {
			line := strings.Repeat("x", size) + "\n"
			talk.Send(line)
			talk.Want(line)
		}
	})
}

// If one receive brings several records, all are given to the protocol although the socket stays silent: bytes that TLS
// holds cause no event.
func TestManyRecordsAtOnce(t *testing.T) {
	onSome(t, isTLS, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{IdlePark: millis(5)}, lines(echo))
		below, err := r.connectTransport()
		if err != nil {
			t.Fatal(err)
		}
		gather := &gathering{Conn: below}
		client := tls.Client(gather, &tls.Config{InsecureSkipVerify: true})
		talk := wiretest.NewTalk(t, client)
		talk.Send("first\n")
		talk.Want("first\n")
		for round := range 20 {
			gather.hold = true
			want := ""
			for i := range 3 + round {
				line := fmt.Sprintf("%d %s\n", i, strings.Repeat("x", i*300))
				talk.Send(line) // a record of its own
				want += line
			}
			gather.release(t)
			talk.Want(want)
		}
	})
}

// gathering is a connection that keeps what is written until it is released, as one write.
type gathering struct {
	net.Conn
	hold bool
	kept []byte
}

func (g *gathering) Write(p []byte) (int, error) {
	if !g.hold {
		return g.Conn.Write(p)
	}
	g.kept = append(g.kept, p...)
	return len(p), nil
}

func (g *gathering) release(t *testing.T) {
	t.Helper()
	g.hold = false
	if _, err := g.Conn.Write(g.kept); err != nil {
		t.Fatal(err)
	}
	g.kept = g.kept[:0]
}
