package netconn_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// lastWord serves data, and its End sends the reason for which the connection ended.
func lastWord(t *testing.T, k kind, cfg netconn.Config, data func(*netconn.Conn, []byte) (int, error)) *rig {
	t.Helper()
	r := newRig(t, k)
	cfg.New = func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
		r.begun.Add(1)
		return &protocol{r: r, data: data, end: func(c *netconn.Conn, err error) {
			if c.Latched() {
				t.Error("End inside the latch")
			}
			_, _ = c.Write([]byte("last word: " + err.Error() + "\n"))
		}}, nil
	}
	return r.start(cfg, r.listen())
}

// A connection without a message is ended by IdleTimeout, before its first message and after it. The protocol may send a
// last message.
func TestIdleTimeout(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		const idle = time.Minute
		r := lastWord(t, k, still(netconn.Config{IdleTimeout: idle}), lines(echo))
		for i, first := range []string{"", "hello\n"} {
			talk := r.dial()
			eventually(t, "the connection to begin", func() bool { return r.begun.Load() == int64(i+1) })
			if first != "" {
				talk.Send(first)
				talk.Want(first)
			}
			r.settled()
			r.pass(idle - time.Second)
			talk.WantSilence(millis(3))
			if r.ended() {
				t.Fatalf("ended with %v a second too early", r.wantEnd())
			}
			r.pass(time.Second)
			// If it is just being parked, the next tick sees it.
			r.passUntil(clock.Tick, "the connection to end", r.ended)
			talk.Want("last word: " + netconn.ErrIdle.Error() + "\n")
			talk.WantEOF()
			if err := r.wantEnd(); err != netconn.ErrIdle {
				t.Errorf("ended with %v, want ErrIdle", err)
			}
			eventually(t, "the connection to be gone", func() bool { return r.eng.Stats().Open == 0 })
		}
	})
}

// A connection on which messages keep coming is not idle.
func TestIdleTimeoutIsNotLifetime(t *testing.T) {
	atOnce(t, isWhole, func(t *testing.T, k kind) {
		const idle = time.Minute
		r := serve(t, k, still(netconn.Config{IdleTimeout: idle}), lines(echo))
		talk := r.dial()
		for range 20 {
			talk.Send("hello\n")
			talk.Want("hello\n")
			r.settled()
			r.pass(idle / 5)
		}
	})
}

// watched is a protocol that counts the bytes that have arrived since it last took any.
func watched(arrived *atomic.Int64, data func(*netconn.Conn, []byte) (int, error)) func(*netconn.Conn, []byte) (int, error) {
	return func(c *netconn.Conn, in []byte) (int, error) {
		n, err := data(c, in)
		arrived.Store(int64(len(c.Unread()) - n))
		return n, err
	}
}

// arrive waits until n bytes have arrived and the reader waits for more.
func (r *rig) arrive(arrived *atomic.Int64, n int64) {
	r.t.Helper()
	eventually(r.t, "the bytes to arrive", func() bool { return arrived.Load() == n })
	r.settled()
}

// Single bytes that arrive slowly do not extend MessageTimeout. This is the rule against slow heads.
func TestMessageTimeout(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		const limit = 500 * time.Millisecond // the last message has a second by the system's clock
		var arrived atomic.Int64
		r := lastWord(t, k, still(netconn.Config{MessageTimeout: limit}), watched(&arrived, lines(echo)))
		talk := r.dial()
		talk.Send("whole\n")
		talk.Want("whole\n")
		for n := range int64(10) {
			if n > 0 {
				r.pass(limit / 10)
			}
			talk.Send("x")
			r.arrive(&arrived, n+1)
		}
		r.pass(limit / 10)
		if err := r.wantEnd(); err != netconn.ErrSlow || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("ended with %v, want ErrSlow", err)
		}
		talk.Want("last word: " + netconn.ErrSlow.Error() + "\n")
		talk.HalfClose()
		talk.WantEOF()
		if n := r.eng.Stats().Slow; n == 0 {
			t.Errorf("Stats.Slow is %d", n)
		}
	})
}

// Each message has its own time.
func TestMessageTimeoutIsPerMessage(t *testing.T) {
	atOnce(t, isWhole, func(t *testing.T, k kind) {
		const limit = 10 * time.Second
		var arrived atomic.Int64
		r := serve(t, k, still(netconn.Config{MessageTimeout: limit}), watched(&arrived, lines(echo)))
		talk := r.dial()
		for range 5 {
			talk.Send("hel")
			r.arrive(&arrived, 3)
			r.pass(limit * 9 / 10)
			talk.Send("lo\n")
			talk.Want("hello\n")
		}
	})
}

// readBody is a protocol whose lines announce a body that Fill reads until "." comes. arrived, if set, gets the number of
// bytes that have arrived.
func readBody(begin func(c *netconn.Conn), arrived *atomic.Int64) func(*netconn.Conn, []byte) (int, error) {
	return outside(func(c *netconn.Conn, line string) error {
		begin(c)
		c.BeginMessage()
		for !strings.HasSuffix(string(c.Unread()), ".") {
			if arrived != nil {
				arrived.Store(int64(len(c.Unread())))
			}
			if _, err := c.Fill(); err != nil {
				c.Take(len(c.Unread()))
				if werr := echo(c, err.Error()); werr != nil {
					return werr
				}
				return netconn.ErrDone
			}
		}
		c.Take(len(c.Unread()))
		return echo(c, "read")
	})
}

// A connection whose body comes too slowly is ended, whether the body drips or stops.
func TestMinReadRate(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		const grace = 5 * time.Second
		begun := make(chan struct{}, 1)
		r := serve(t, k, still(netconn.Config{MinReadRate: 100, RateGrace: grace, LingerTimeout: patience}),
			readBody(func(*netconn.Conn) { begun <- struct{}{} }, nil))
		for _, drip := range []string{"", "ten bytes,"} { // where 50 would be needed
			talk := r.dial()
			talk.Send("body\nsome bytes and then")
			within(t, "Data", begun)
			r.passUntil(grace/10, "the end", func() bool {
				if !r.ended() && drip != "" {
					_, _ = talk.Conn.Write([]byte(drip))
				}
				return r.ended()
			})
			talk.Want(netconn.ErrSlow.Error() + "\n")
			talk.Close()
			if err := r.wantEnd(); err != nil {
				t.Errorf("ended with %v", err)
			}
		}
	})
}

// A connection whose peer is faster than the rate is not ended, and neither is one whose peer waits for us.
func TestMinReadRateLetsPass(t *testing.T) {
	atOnce(t, isWhole, func(t *testing.T, k kind) {
		const grace = 5 * time.Second
		var arrived atomic.Int64
		cfg := still(netconn.Config{MinReadRate: 10, RateGrace: grace})
		r := serve(t, k, cfg, readBody(func(*netconn.Conn) {
			cfg.Clock.Advance(2 * grace) // our own slowness does not count
		}, &arrived))
		talk := r.dial()
		talk.Send("body\n")
		for n := range int64(40) {
			talk.Send("xxxxxxxx")
			r.arrive(&arrived, 8*(n+1))
			r.pass(grace / 10)
		}
		talk.Send(".")
		talk.Want("read\n")
	})
}

// SetReadDeadline bounds Fill, also one that already waits, and the deadline ends with Data.
func TestSetReadDeadline(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		const soon = 20 * time.Second
		at := make(chan *netconn.Conn)
		cfg := still(netconn.Config{LingerTimeout: millis(200), IdleTimeout: -1, MinReadRate: -1})
		r := serve(t, k, cfg, outside(func(c *netconn.Conn, line string) error {
			switch line {
			case "before":
				_ = c.SetReadDeadline(c.Wall().Add(soon))
			case "passing":
				_ = c.SetReadDeadline(c.Wall().Add(soon))
				return echo(c, "not read")
			}
			at <- c
			_, err := c.Fill()
			if line == "none" {
				if err != nil {
					t.Errorf("Fill without a deadline failed with %v", err)
				}
				return nil
			}
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: Fill failed with %v", line, err)
			}
			_ = c.SetReadDeadline(time.Time{})
			return echo(c, "timed out")
		}))
		talk := r.dial()
		filling := func(line string) *netconn.Conn {
			t.Helper()
			talk.Send(line + "\n")
			c := within(t, "Data", at)
			r.settled()
			return c
		}
		for range 2 {
			filling("before")
			r.pass(soon - clock.Tick)
			talk.WantSilence(millis(3))
			r.pass(clock.Tick)
			talk.Want("timed out\n")
			_ = filling("meanwhile").SetReadDeadline(r.eng.Wall())
			talk.Want("timed out\n")
		}
		// The deadline of this message has passed when the next one comes, but it ended with its Data.
		talk.Send("passing\n")
		talk.Want("not read\n")
		r.settled()
		r.pass(2 * soon)
		talk.WantSilence(millis(3))
		filling("none")
		r.pass(2 * soon)
		talk.WantSilence(millis(3))
		filling("before")
		r.pass(soon)
		talk.Want("timed out\n")
	})
}

// writeMuch responds to every line with more than any socket holds, and reports the error of the write.
func writeMuch(t *testing.T, before func(c *netconn.Conn), verdict func(err error)) func(*netconn.Conn, []byte) (int, error) {
	return lines(func(c *netconn.Conn, _ string) error {
		before(c)
		chunk := make([]byte, 256<<10)
		for n := int64(0); ; n += int64(len(chunk)) {
			if _, err := c.Write(chunk); err != nil {
				verdict(err)
				return err
			}
			if n > 256<<20 {
				t.Error("256 MiB were sent to a client that does not read")
				return netconn.ErrAbort
			}
		}
	})
}

// stuffed serves a client that does not read much, lets time pass in steps and returns the error of the server's Write.
func stuffed(t *testing.T, k kind, cfg netconn.Config, step time.Duration) error {
	t.Helper()
	cfg.LingerTimeout = millis(50)
	var got error
	begun := make(chan struct{}, 1)
	r := serve(t, k, still(cfg), writeMuch(t, func(*netconn.Conn) { begun <- struct{}{} }, func(err error) { got = err }))
	r.dial().Send("write\n")
	within(t, "Data", begun)
	r.passUntil(step, "the write to fail", r.ended)
	r.wantEnd()
	return got
}

// The connection of a client that does not read its response is ended.
func TestMinWriteRate(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		const grace = time.Second
		err := stuffed(t, k, netconn.Config{MinWriteRate: 100_000, RateGrace: grace}, grace/4)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Write failed with %v, want ErrSlow", err)
		}
	})
}

// MinWriteRate also holds for what other goroutines write while the connection is idle: the connection ends, although no
// byte comes in.
func TestMinWriteRateOfOthers(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		const grace = time.Second
		failed := make(chan error, 1)
		cfg := still(netconn.Config{MinWriteRate: 100_000, RateGrace: grace, LingerTimeout: millis(50), IdlePark: millis(1),
			IdleTimeout: -1})
		r := serve(t, k, cfg, lines(func(c *netconn.Conn, line string) error {
			err := echo(c, line)
			go func() {
				for {
					if _, err := c.Write(make([]byte, 100_000)); err != nil {
						failed <- err
						return
					}
				}
			}()
			return err
		}))
		talk := r.dial()
		talk.Send("news\n")
		talk.Want("news\n")
		r.passUntil(grace/4, "the connection to end", r.ended)
		if err := within(t, "Write to fail", failed); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Write failed with %v, want ErrSlow", err)
		}
		if err := r.wantEnd(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("ended with %v, want ErrSlow", err)
		}
	})
}

// A client that reads slowly, but fast enough, gets everything.
func TestMinWriteRateLetsPass(t *testing.T) {
	const size, rate = 8 << 20, 10_000
	atOnce(t, isWhole, func(t *testing.T, k kind) {
		r := serve(t, k, still(netconn.Config{MinWriteRate: rate}), lines(func(c *netconn.Conn, _ string) error {
			if _, err := c.Write(make([]byte, size)); err != nil {
				return err
			}
			return netconn.ErrDone
		}))
		talk := r.dial()
		talk.Send("much\n")
		chunk := make([]byte, 64<<10)
		for got := 0; got < size; {
			_ = talk.Conn.SetReadDeadline(time.Now().Add(patience))
			n, err := talk.Conn.Read(chunk)
			if err != nil {
				t.Fatalf("after %d bytes: %v", got, err)
			}
			got += n
			r.pass(time.Duration(n) * time.Second / (15 * rate)) // the writer, too, needs time to run
			eventually(t, "the writer to look", func() bool {
				r.pass(1) // a timer for a moment that has already passed fires at the next tick
				links := r.eng.Links()
				return len(links) == 0 || !netconn.WriterLooks(links[0])
			})
		}
	})
}

// A connection ends if its socket takes no further byte within WriteTimeout.
func TestWriteTimeout(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		const limit = time.Minute
		err := stuffed(t, k, netconn.Config{WriteTimeout: limit, MinWriteRate: -1}, limit/4)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Write failed with %v, want ErrSlow", err)
		}
	})
}

// SetWriteTimeout sets the timeout of one connection, whatever the engine's is. The other connections keep the engine's.
func TestSetWriteTimeout(t *testing.T) {
	const limit, others = 10 * time.Second, time.Minute
	own := []time.Duration{limit, others, -1} // by connection; the second one has the engine's
	onEvery(t, func(t *testing.T, k kind) {
		type verdict struct {
			own time.Duration
			err error
		}
		begun, failed := make(chan *netconn.Conn, 3), make(chan verdict, 3)
		var mu sync.Mutex
		whose := map[*netconn.Conn]time.Duration{}
		cfg := still(netconn.Config{WriteTimeout: others, MinWriteRate: -1, LingerTimeout: millis(50)})
		r := serve(t, k, cfg, func(c *netconn.Conn, in []byte) (int, error) {
			mu.Lock()
			if _, known := whose[c]; !known {
				whose[c] = own[len(whose)]
			}
			own := whose[c]
			mu.Unlock()
			return writeMuch(t, func(*netconn.Conn) {
				c.SetWriteTimeout(own)
				begun <- c
			}, func(err error) { failed <- verdict{own, err} })(c, in)
		})
		for range own {
			r.dial().Send("write\n")
			stuck(t, &within(t, "Data", begun).Link)
		}
		for _, limit := range own[:2] {
			r.pass(limit)
			// The steps are small now: the next connection's limit must not pass before this one's write has failed.
			r.passUntil(limit/200, "a write to fail", func() bool { return len(failed) > 0 })
			if got := <-failed; got.own != limit || !errors.Is(got.err, os.ErrDeadlineExceeded) || len(failed) > 0 {
				t.Errorf("Write failed with %v on the connection with %v, want that with %v", got.err, got.own, limit)
			}
		}
		for range 8 {
			r.pass(others)
		}
		if len(failed) > 0 {
			t.Errorf("Write failed with %v without a timeout", (<-failed).err)
		}
	})
}

// SetWriteDeadline bounds Write, before and while it waits.
func TestSetWriteDeadline(t *testing.T) {
	const soon = 30 * time.Second
	for name, tc := range map[string]struct {
		before func(c *netconn.Conn)
		stuck  func(r *rig, c *netconn.Conn)
	}{
		"before": {
			func(c *netconn.Conn) { _ = c.SetWriteDeadline(c.Wall().Add(soon)) },
			func(r *rig, _ *netconn.Conn) { r.pass(soon) },
		},
		"meanwhile": {
			func(*netconn.Conn) {},
			func(_ *rig, c *netconn.Conn) { _ = c.SetWriteDeadline(c.Wall()) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEvery(t, func(t *testing.T, k kind) {
				var got error
				conns := make(chan *netconn.Conn, 1)
				r := serve(t, k, still(netconn.Config{MinWriteRate: -1, LingerTimeout: millis(50)}),
					writeMuch(t, func(c *netconn.Conn) {
						tc.before(c)
						conns <- c
					}, func(err error) { got = err }))
				r.dial().Send("write\n")
				c := within(t, "Data", conns)
				stuck(t, &c.Link)
				if r.ended() {
					t.Fatal("the connection ended too early")
				}
				tc.stuck(r, c)
				r.passUntil(millis(10), "the deadline to end Write", r.ended) // it may pass between two writes of a tls.Conn
				r.wantEnd()
				if !errors.Is(got, os.ErrDeadlineExceeded) {
					t.Errorf("Write failed with %v, want a timeout", got)
				}
			})
		})
	}
}

// Output that comes after its deadline is not sent, even if the socket would take it at once.
func TestWriteDeadlineThatHasPassed(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{LingerTimeout: millis(50)}, lines(func(c *netconn.Conn, line string) error {
			_ = c.SetWriteDeadline(time.Now().Add(-time.Second))
			return echo(c, line)
		}))
		talk := r.dial()
		talk.Send("late\n")
		talk.WantGone()
		if err := <-r.ends; !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("End got %v, want ErrSlow", err)
		}
	})
}

// Negative times mean that there is no timeout.
func TestNoTimeouts(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		const long = 10 * time.Minute
		r := serve(t, k, still(netconn.Config{IdleTimeout: -1, MessageTimeout: -1, HandshakeTimeout: -1, IdlePark: -1,
			WriteTimeout: -1, MinReadRate: -1, MinWriteRate: -1, RateGrace: -1}), lines(echo))
		talk := r.dial()
		for _, s := range []string{"hel", "lo\n"} {
			r.pass(long)
			talk.WantSilence(millis(3))
			talk.Send(s)
		}
		talk.Want("hello\n")
	})
}

// With AllowPauses, one side of a conversation is not judged by how fast its bytes come.
func TestAllowPauses(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		const grace = 5 * time.Second
		at := make(chan struct{})
		r := serve(t, k, still(netconn.Config{MinReadRate: 100_000, RateGrace: grace}), outside(func(c *netconn.Conn, line string) error {
			c.BeginMessage()
			c.AllowPauses()
			at <- struct{}{}
			for len(c.Unread()) < 3 {
				if _, err := c.Fill(); err != nil {
					return echo(c, err.Error())
				}
			}
			c.Take(3)
			c.BeginMessage() // the next one is judged again
			at <- struct{}{}
			for {
				if _, err := c.Fill(); err != nil {
					_ = echo(c, fmt.Sprint("judged: ", errors.Is(err, os.ErrDeadlineExceeded)))
					return netconn.ErrDone
				}
			}
		}))
		talk := r.dial()
		talk.Send("talk\n")
		within(t, "Data", at)
		r.settled()
		r.pass(10 * grace)
		talk.WantSilence(millis(3))
		talk.Send("abc")
		within(t, "the first half", at)
		r.settled()
		r.pass(grace)
		talk.Want("judged: true\n")
	})
}
