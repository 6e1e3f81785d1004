package netconn_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wiretest"
)

// lastWord serves data with an End that says why the connection ended.
func lastWord(t *testing.T, k kind, cfg netconn.Config, data func(*netconn.Conn, []byte) (int, error)) *rig {
	t.Helper()
	r := newRig(t, k)
	cfg.New = func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
		r.begun.Add(1)
		return &protocol{r: r, data: data, end: func(c *netconn.Conn, err error) {
			_, _ = c.Write([]byte("last word: " + err.Error() + "\n"))
		}}, nil
	}
	return r.start(cfg, r.listen())
}

// TestIdleTimeout: a connection without a message is ended, before its first one and after; the protocol may say a
// last word.
func TestIdleTimeout(t *testing.T) {
	atOnce(t, isAny, func(t *testing.T, k kind) {
		r := lastWord(t, k, netconn.Config{IdleTimeout: millis(40)}, lines(echo))
		for _, first := range []string{"", "hello\n"} {
			talk := r.dial()
			if first != "" {
				talk.Send(first)
				talk.Want(first)
			}
			talk.Want("last word: " + netconn.ErrIdle.Error() + "\n")
			talk.WantEOF()
			if err := r.wantEnd(); err != netconn.ErrIdle {
				t.Errorf("ended with %v, want ErrIdle", err)
			}
		}
	})
}

// TestIdleTimeoutIsNotLifetime: a connection that keeps talking is not idle.
func TestIdleTimeoutIsNotLifetime(t *testing.T) {
	atOnce(t, isWhole, func(t *testing.T, k kind) {
		const idle = 300 * time.Millisecond
		r := serve(t, k, netconn.Config{IdleTimeout: idle}, lines(echo))
		talk := r.dial()
		for begin := time.Now(); time.Since(begin) < 2*idle; time.Sleep(millis(5)) {
			talk.Send("hello\n")
			talk.Want("hello\n")
		}
	})
}

// TestMessageTimeout: bytes that drip in do not buy time; the rule against slow heads.
func TestMessageTimeout(t *testing.T) {
	atOnce(t, isAny, func(t *testing.T, k kind) {
		r := lastWord(t, k, netconn.Config{MessageTimeout: millis(60)}, lines(echo))
		talk := r.dial()
		talk.Send("whole\n")
		talk.Want("whole\n")
		stop := drip(talk.Conn)
		defer stop()
		talk.Want("last word: " + netconn.ErrSlow.Error() + "\n")
		stop()
		talk.HalfClose()
		talk.WantEOF()
		if err := r.wantEnd(); err != netconn.ErrSlow || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("ended with %v, want ErrSlow", err)
		}
		if n := r.eng.Stats().Slow; n == 0 {
			t.Errorf("Stats.Slow is %d", n)
		}
	})
}

// drip sends a byte every few milliseconds until stop is called.
func drip(nc net.Conn) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			if _, err := nc.Write([]byte("x")); err != nil {
				return
			}
			select {
			case <-quit:
				return
			case <-time.After(millis(5)):
			}
		}
	}()
	stopped := false
	return func() {
		if !stopped {
			stopped = true
			close(quit)
			<-done
		}
	}
}

// TestMessageTimeoutIsPerMessage: each message has its own time.
func TestMessageTimeoutIsPerMessage(t *testing.T) {
	atOnce(t, isWhole, func(t *testing.T, k kind) {
		const limit = 400 * time.Millisecond
		r := serve(t, k, netconn.Config{MessageTimeout: limit}, lines(echo))
		talk := r.dial()
		for begin := time.Now(); time.Since(begin) < 2*limit; {
			talk.Send("hel")
			time.Sleep(millis(5))
			talk.Send("lo\n")
			talk.Want("hello\n")
		}
	})
}

// readBody is a protocol whose lines announce a body that is read by Fill until "." comes.
func readBody(begin func(c *netconn.Conn)) func(*netconn.Conn, []byte) (int, error) {
	return outside(func(c *netconn.Conn, line string) error {
		if begin != nil {
			begin(c)
		}
		c.BeginMessage()
		for !strings.HasSuffix(string(c.Unread()), ".") {
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

// TestMinReadRate: a body that comes too slowly is cut, whether it drips or stops.
func TestMinReadRate(t *testing.T) {
	atOnce(t, isAny, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{MinReadRate: 100_000, RateGrace: millis(50), LingerTimeout: millis(200)}, readBody(nil))
		stopped := r.dial()
		stopped.Send("body\nthree bytes and then nothing")
		stopped.Want(netconn.ErrSlow.Error() + "\n")
		dripping := r.dial()
		dripping.Send("body\n")
		stop := drip(dripping.Conn)
		defer stop()
		dripping.Want(netconn.ErrSlow.Error() + "\n")
	})
}

// TestMinReadRateLetsPass: a peer above the rate is not cut, and neither is one that we keep waiting.
func TestMinReadRateLetsPass(t *testing.T) {
	atOnce(t, isWhole, func(t *testing.T, k kind) {
		const grace = 100 * time.Millisecond
		r := serve(t, k, netconn.Config{MinReadRate: 10, RateGrace: grace}, readBody(func(*netconn.Conn) {
			time.Sleep(2 * grace) // our own slowness does not count
		}))
		talk := r.dial()
		talk.Send("body\n")
		for begin := time.Now(); time.Since(begin) < 4*grace; time.Sleep(millis(2)) {
			talk.Send("xxxxxxxx")
		}
		talk.Send(".")
		talk.Want("read\n")
	})
}

// TestSetReadDeadline: it bounds Fill, also one that waits already, and it ends with Data.
func TestSetReadDeadline(t *testing.T) {
	atOnce(t, isAny, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{LingerTimeout: millis(200)}, outside(func(c *netconn.Conn, line string) error {
			switch line {
			case "before":
				_ = c.SetReadDeadline(time.Now().Add(millis(20)))
			case "meanwhile":
				time.AfterFunc(millis(20), func() { _ = c.SetReadDeadline(time.Now()) })
			case "passing":
				_ = c.SetReadDeadline(time.Now().Add(millis(20)))
				return echo(c, "not read")
			case "none":
				_ = echo(c, "reading")
				if _, err := c.Fill(); err != nil {
					t.Errorf("Fill without a deadline failed with %v", err)
				}
				return nil
			}
			_, err := c.Fill()
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: Fill failed with %v", line, err)
			}
			_ = c.SetReadDeadline(time.Time{})
			return echo(c, "timed out")
		}))
		talk := r.dial()
		for range 2 {
			talk.Send("before\n")
			talk.Want("timed out\n")
			talk.Send("meanwhile\n")
			talk.Want("timed out\n")
		}
		// The deadline of this message has passed when the next one comes, but it ended with its Data.
		talk.Send("passing\n")
		talk.Want("not read\n")
		talk.WantSilence(millis(60))
		talk.Send("none\n")
		talk.Want("reading\n")
		talk.WantSilence(millis(20))
		talk.Send("before\n")
		talk.Want("timed out\n")
	})
}

// stuffed begins a conversation whose client does not read, and returns once the server's Write has failed.
func stuffed(t *testing.T, r *rig) (talk *wiretest.Talk, took time.Duration) {
	t.Helper()
	talk = r.dial()
	begin := time.Now()
	talk.Send("write\n")
	r.wantEnd()
	return talk, time.Since(begin)
}

// writeMuch answers every line with more than any socket holds, and reports how that ended.
func writeMuch(t *testing.T, before func(c *netconn.Conn), verdict func(n int64, err error)) func(*netconn.Conn, []byte) (int, error) {
	return lines(func(c *netconn.Conn, _ string) error {
		if before != nil {
			before(c)
		}
		chunk := make([]byte, 256<<10)
		for n := int64(0); ; n += int64(len(chunk)) {
			if _, err := c.Write(chunk); err != nil {
				verdict(n, err)
				return err
			}
			if n > 256<<20 {
				t.Error("a client that does not read was sent 256 MiB")
				return netconn.ErrAbort
			}
		}
	})
}

// TestMinWriteRate: a client that does not read its answer is cut.
func TestMinWriteRate(t *testing.T) {
	atOnce(t, isAny, func(t *testing.T, k kind) {
		var got atomic.Value
		r := serve(t, k, netconn.Config{MinWriteRate: 100_000, RateGrace: millis(30), LingerTimeout: millis(50)},
			writeMuch(t, nil, func(_ int64, err error) { got.Store(err) }))
		stuffed(t, r)
		if err, _ := got.Load().(error); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Write failed with %v, want ErrSlow", err)
		}
	})
}

// TestMinWriteRateOfOthers: the rate holds for what other goroutines write while the connection is idle; the connection
// ends, although no byte comes in that could tell.
func TestMinWriteRateOfOthers(t *testing.T) {
	atOnce(t, isAny, func(t *testing.T, k kind) {
		failed := make(chan error, 1)
		r := serve(t, k, netconn.Config{MinWriteRate: 100_000, RateGrace: millis(30), LingerTimeout: millis(50), IdlePark: millis(1)},
			lines(func(c *netconn.Conn, line string) error {
				go func() {
					for {
						if _, err := c.Write(make([]byte, 100_000)); err != nil {
							failed <- err
							return
						}
					}
				}()
				return echo(c, line)
			}))
		talk := r.dial()
		talk.Send("news\n")
		if err := within(t, "Write to fail", failed); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Write failed with %v, want ErrSlow", err)
		}
		if err := r.wantEnd(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("ended with %v, want ErrSlow", err)
		}
	})
}

// TestMinWriteRateLetsPass: a client that reads slowly, but fast enough, gets all of it.
func TestMinWriteRateLetsPass(t *testing.T) {
	const size = 8 << 20
	atOnce(t, isWhole, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{MinWriteRate: 1000, RateGrace: millis(100)}, lines(func(c *netconn.Conn, _ string) error {
			if _, err := c.Write(make([]byte, size)); err != nil {
				return err
			}
			return netconn.ErrDone
		}))
		talk := r.dial()
		talk.Send("much\n")
		chunk := make([]byte, 64<<10)
		got := 0
		for got < size {
			n, err := talk.Conn.Read(chunk)
			if err != nil {
				t.Fatalf("after %d bytes: %v", got, err)
			}
			got += n
			time.Sleep(millis(3))
		}
	})
}

// TestWriteTimeout: the socket must take another byte in time.
func TestWriteTimeout(t *testing.T) {
	atOnce(t, isAny, func(t *testing.T, k kind) {
		var got atomic.Value
		r := serve(t, k, netconn.Config{WriteTimeout: millis(50), MinWriteRate: -1, LingerTimeout: millis(50)},
			writeMuch(t, nil, func(_ int64, err error) { got.Store(err) }))
		stuffed(t, r)
		if err, _ := got.Load().(error); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Write failed with %v, want ErrSlow", err)
		}
	})
}

// TestSetWriteDeadline: it bounds Write, before and while it waits.
func TestSetWriteDeadline(t *testing.T) {
	for name, set := range map[string]func(c *netconn.Conn){
		"before":    func(c *netconn.Conn) { _ = c.SetWriteDeadline(time.Now().Add(millis(30))) },
		"meanwhile": func(c *netconn.Conn) { time.AfterFunc(millis(30), func() { _ = c.SetWriteDeadline(time.Now()) }) },
	} {
		t.Run(name, func(t *testing.T) {
			onEvery(t, func(t *testing.T, k kind) {
				var got atomic.Value
				r := serve(t, k, netconn.Config{MinWriteRate: -1, LingerTimeout: millis(50)},
					writeMuch(t, set, func(_ int64, err error) { got.Store(err) }))
				stuffed(t, r)
				if err, _ := got.Load().(error); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("Write failed with %v, want a timeout", err)
				}
			})
		})
	}
}

// TestWriteDeadlineThatHasPassed: what comes too late is not sent, though the socket would take it at once.
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
			t.Errorf("End was told %v, want ErrSlow", err)
		}
	})
}

// TestHandshakeTimeout: a client that connects and says nothing does not hold a goroutine for ever.
func TestHandshakeTimeout(t *testing.T) {
	onSome(t, isTLS, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{HandshakeTimeout: millis(50)}, lines(echo))
		nc, err := r.connectTransport()
		if err != nil {
			t.Fatal(err)
		}
		talk := wiretest.NewTalk(t, nc)
		talk.WantGone()
		dripping, err := r.connectTransport()
		if err != nil {
			t.Fatal(err)
		}
		talk = wiretest.NewTalk(t, dripping)
		talk.Send("\x16\x03\x01\x02\x00") // the frame of a ClientHello that never comes
		talk.WantGone()
		if n := len(r.ends); n != 0 {
			t.Errorf("End was called %d times for connections that had no protocol", n)
		}
	})
}

// TestHandshakeFails: what is no TLS ends the connection, is told to OnHandshakeError, and harms nobody else.
func TestHandshakeFails(t *testing.T) {
	onSome(t, isTLS, func(t *testing.T, k kind) {
		told := make(chan error, 1)
		r := serve(t, k, netconn.Config{OnHandshakeError: func(nc net.Conn, err error) {
			// Whoever speaks cleartext to a TLS port can still be told so.
			_, _ = io.WriteString(nc, "speak TLS\n")
			told <- err
		}}, lines(echo))
		nc, err := r.connectTransport()
		if err != nil {
			t.Fatal(err)
		}
		talk := wiretest.NewTalk(t, nc)
		talk.Send("GET / HTTP/1.1\r\n\r\n")
		if rest, _ := io.ReadAll(talk.Conn); !strings.Contains(string(rest), "speak TLS\n") {
			t.Errorf("the client was told %q", rest)
		}
		if err := within(t, "OnHandshakeError", told); err == nil {
			t.Error("OnHandshakeError was told nil")
		}
		good := r.dial()
		good.Send("hello\n")
		good.Want("hello\n")
	})
}

// TestNoTimeouts: negative times are none.
func TestNoTimeouts(t *testing.T) {
	atOnce(t, isAny, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{IdleTimeout: -1, MessageTimeout: -1, HandshakeTimeout: -1, IdlePark: -1,
			WriteTimeout: -1, MinReadRate: -1, MinWriteRate: -1, RateGrace: -1}, lines(echo))
		talk := r.dial()
		talk.WantSilence(millis(30))
		talk.Send("hel")
		talk.WantSilence(millis(30))
		talk.Send("lo\n")
		talk.Want("hello\n")
	})
}

// TestAllowPauses: half of a conversation is not judged by how fast it comes.
func TestAllowPauses(t *testing.T) {
	atOnce(t, isAny, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{MinReadRate: 100_000, RateGrace: millis(30)}, outside(func(c *netconn.Conn, line string) error {
			c.BeginMessage()
			c.AllowPauses()
			for len(c.Unread()) < 3 {
				if _, err := c.Fill(); err != nil {
					return echo(c, err.Error())
				}
			}
			c.Take(3)
			c.BeginMessage() // the next one is judged again
			for {
				if _, err := c.Fill(); err != nil {
					_ = echo(c, fmt.Sprint("judged: ", errors.Is(err, os.ErrDeadlineExceeded)))
					return netconn.ErrDone
				}
			}
		}))
		talk := r.dial()
		talk.Send("talk\n")
		time.Sleep(millis(100))
		talk.Send("abc")
		talk.Want("judged: true\n")
	})
}
