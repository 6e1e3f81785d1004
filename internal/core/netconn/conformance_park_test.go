package netconn_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// An idle connection gives up its goroutine, and gets one again for the next byte.
func TestParkAndWake(t *testing.T) {
	atOnce(t, isLatched, func(t *testing.T, k kind) {
		var served atomic.Pointer[netconn.Conn]
		const park = 10 * time.Second
		var arrived atomic.Int64
		cfg := still(netconn.Config{IdlePark: park, IdleTimeout: -1, MessageTimeout: -1})
		r := serve(t, k, cfg, watched(&arrived, lines(func(c *netconn.Conn, line string) error {
			served.Store(c)
			return echo(c, line)
		})))
		talk := r.dial()
		for range 5 {
			r.passUntil(park/10, "the connection to park", func() bool { s := r.eng.Stats(); return s.Parked == 1 && s.Active == 0 })
			talk.Send("hello\n")
			talk.Want("hello\n")
		}
		// A connection with half a message is not idle: it keeps its goroutine and its deadline.
		talk.Send("half")
		r.arrive(&arrived, 4)
		r.pass(3 * park)
		_ = served.Load().SetReadDeadline(time.Time{}) // makes its goroutine check its state
		time.Sleep(millis(5))                          // time in which it could park by mistake; if it is too short, the test only shows less
		if n := r.eng.Stats().Parked; n != 0 {
			t.Error("a connection with half a message was parked")
		}
		talk.Send("\n")
		talk.Want("half\n")
	})
}

// A parked connection notices the end of the stream, a reset, and its IdleTimeout.
func TestParkedEnds(t *testing.T) {
	atOnce(t, isLatched, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{IdlePark: millis(5)}, lines(echo))
		parked := func(n int64) {
			eventually(t, "the connection to park", func() bool { return r.eng.Stats().Parked == n })
		}
		closed := r.dial()
		parked(1)
		closed.HalfClose()
		if err := r.wantEnd(); err != io.EOF {
			t.Errorf("ended with %v, want io.EOF", err)
		}
		closed.WantEOF()
		closed.Close()
		if isTCP(k) {
			reset := r.dial()
			parked(1)
			reset.Reset()
			if err := r.wantEnd(); !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("ended with %v, want ECONNRESET", err)
			}
		}
		last := r.dial()
		parked(1)
		last.Send("last words\n")
		last.HalfClose()
		last.Want("last words\n")
		last.WantEOF()
	})
	t.Run("idle", func(t *testing.T) {
		atOnce(t, isLatched, func(t *testing.T, k kind) {
			r := lastWord(t, k, still(netconn.Config{}), lines(echo))
			talk := r.dial()
			eventually(t, "the connection to begin", func() bool { return r.begun.Load() == 1 })
			r.settled()
			r.pass(10 * time.Second)
			eventually(t, "the connection to park", func() bool { return r.eng.Stats().Parked == 1 })
			r.pass(49 * time.Second)
			talk.WantSilence(millis(3))
			r.pass(time.Second)
			talk.Want("last word: " + netconn.ErrIdle.Error() + "\n")
			talk.WantEOF()
			if err := r.wantEnd(); err != netconn.ErrIdle {
				t.Errorf("ended with %v, want ErrIdle", err)
			}
		})
	})
}

// A byte that arrives just as a connection goes to the lot wakes it: the response comes each time. The moment is short, so
// there are thousands of tries.
func TestByteAsItParks(t *testing.T) {
	const clients, rounds = 50, 40
	atOnce(t, isLatched, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{IdlePark: time.Microsecond}, lines(echo))
		var wg sync.WaitGroup
		for i := range clients {
			nc, err := r.connect()
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				defer func() { _ = nc.Close() }()
				rng := rand.New(rand.NewPCG(uint64(i), 1))
				p := make([]byte, 6)
				for n := range rounds {
					time.Sleep(time.Duration(rng.IntN(11_000)) * time.Microsecond)
					_ = nc.SetDeadline(time.Now().Add(patience))
					if _, err := io.WriteString(nc, "hello\n"); err != nil {
						t.Errorf("round %d: %v", n, err)
						return
					}
					if _, err := io.ReadFull(nc, p); err != nil {
						t.Errorf("round %d: no response: %v", n, err)
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

// Output that another goroutine is writing to a slow reader is neither lost nor cut when the connection is about to park,
// and the connection still serves afterwards.
func TestParkWithOutputUnderWay(t *testing.T) {
	const size = 8 << 20
	atOnce(t, isLatched, func(t *testing.T, k kind) {
		conns := make(chan *netconn.Conn, 1)
		r := serve(t, k, netconn.Config{IdlePark: time.Microsecond, MinWriteRate: -1}, lines(func(c *netconn.Conn, line string) error {
			if line == "much" {
				go func() { _, _ = c.Write(make([]byte, size)) }()
				conns <- c
			}
			return echo(c, line)
		}))
		talk := r.dial()
		// A small buffer makes the socket full before everything is there.
		_ = transport(talk.Conn).(interface{ SetReadBuffer(int) error }).SetReadBuffer(256 << 10)
		for range 2 {
			talk.Send("much\n")
			stuck(t, &within(t, "the connection", conns).Link) // and it is time to park
			got := talk.WantN(size + len("much\n"))
			if strings.Count(got, "\x00") != size {
				t.Fatal("wrong bytes arrived")
			}
			eventually(t, "the connection to park", func() bool { return r.eng.Stats().Parked == 1 })
			talk.Send("hello\n")
			talk.Want("hello\n")
		}
	})
}

// Thousands of parked connections need no goroutine each, and every one of them wakes again.
func TestManyIdle(t *testing.T) {
	onSome(t, func(k kind) bool { return k.latched() && !k.tls && k.network == "tcp" }, func(t *testing.T, k kind) {
		count := manyConnections(t)
		r := serve(t, k, netconn.Config{IdlePark: millis(20), IdleTimeout: -1}, lines(echo))
		conns := make([]net.Conn, count)
		defer func() {
			for _, nc := range conns {
				if nc != nil {
					// A reset leaves no port in TIME_WAIT.
					_ = nc.(*net.TCPConn).SetLinger(0)
					_ = nc.Close()
				}
			}
		}()
		before := watchLeaks()
		for i := range conns {
			nc, err := r.connect()
			if err != nil {
				t.Fatalf("connection %d: %v", i, err)
			}
			conns[i] = nc
		}
		all := func(what string) {
			eventually(t, what, func() bool { return r.eng.Stats().Parked == int64(count) })
		}
		all("all of them to park before their first byte")
		for range 2 {
			for i, nc := range conns {
				if _, err := io.WriteString(nc, "hello\n"); err != nil {
					t.Fatalf("connection %d: %v", i, err)
				}
			}
			p := make([]byte, 6)
			for i, nc := range conns {
				_ = nc.SetReadDeadline(time.Now().Add(patience))
				if _, err := io.ReadFull(nc, p); err != nil || string(p) != "hello\n" {
					t.Fatalf("connection %d: %q, %v", i, p, err)
				}
			}
			all("all of them to park again")
		}
		eventually(t, "goroutines to end", func() bool { return watchLeaks().goroutines <= before.goroutines+10 })
	})
}
