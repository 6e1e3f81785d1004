package netconn_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

func (r *rig) shutdown() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return r.eng.Shutdown(ctx)
}

// Shutdown ends idle connections, parked ones too, and Serve returns ErrShutdown.
func TestShutdownIdle(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := lastWord(t, k, netconn.Config{IdlePark: millis(10)}, lines(echo))
		fresh, used, parked := r.dial(), r.dial(), r.dial()
		parked.Send("hello\n")
		parked.Want("hello\n")
		if k.latched() {
			eventually(t, "connections to park", func() bool { return r.eng.Stats().Parked >= 1 })
		}
		used.Send("hello\n")
		used.Want("hello\n")
		// A client's handshake may be done before the server's is: such a connection has no End.
		eventually(t, "all connections to have begun", func() bool { return r.begun.Load() == 3 })
		if err := r.shutdown(); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		for range 3 {
			if err := r.wantEnd(); err != netconn.ErrShutdown {
				t.Errorf("ended with %v, want ErrShutdown", err)
			}
		}
		used.Want("last word: " + netconn.ErrShutdown.Error() + "\n")
		used.WantEOF()
		fresh.WantGone()
		parked.Want("last word: " + netconn.ErrShutdown.Error() + "\n")
		parked.WantEOF()
		within(t, "Serve to return", r.done)
		if r.err != netconn.ErrShutdown {
			t.Errorf("Serve returned %v", r.err)
		}
		if nc, err := r.connectTransport(); err == nil && isSocket(k) {
			_ = nc.Close()
			t.Error("a connection was accepted after Shutdown")
		}
		if err := r.eng.Serve(r.listen(), nil); err != netconn.ErrShutdown {
			t.Errorf("another Serve returned %v", err)
		}
	})
}

// Shutdown waits for messages that are being handled and for their responses. Draining tells the protocol about it.
func TestShutdownWaits(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		begun, release := make(chan struct{}), make(chan struct{})
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			if c.Draining() {
				t.Error("Draining before Shutdown")
			}
			close(begun)
			<-release
			if !c.Draining() {
				t.Error("not Draining after Shutdown began")
			}
			return echo(c, line)
		}))
		talk := r.dial()
		talk.Send("work\n")
		within(t, "Data", begun)
		ended := make(chan error, 1)
		go func() { ended <- r.shutdown() }()
		within(t, "Serve to return", r.done)
		select {
		case err := <-ended:
			t.Errorf("Shutdown returned %v while Data was running", err)
		case <-time.After(millis(20)):
		}
		close(release)
		talk.Want("work\n")
		talk.WantEOF()
		if err := within(t, "Shutdown", ended); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
}

// Shutdown returns the context's error; Close then ends the connections that are left.
func TestShutdownGivesUp(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		begun, release := make(chan struct{}), make(chan struct{})
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			close(begun)
			<-release
			if err := echo(c, line); err == nil {
				t.Error("Write after Close succeeded")
			}
			return nil
		}))
		talk := r.dial()
		talk.Send("work\n")
		within(t, "Data", begun)
		ctx, cancel := context.WithTimeout(context.Background(), millis(20))
		defer cancel()
		if err := r.eng.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Shutdown: %v", err)
		}
		if err := r.eng.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		close(release)
		talk.WantGone()
		r.wantEnd()
	})
}

// A client whose request was received gets its response whole or not at all.
func TestShutdownUnderLoad(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := serve(t, k, netconn.Config{IdlePark: millis(5)}, lines(func(c *netconn.Conn, line string) error {
			if err := echo(c, strings.Repeat(line, 100)); err != nil {
				return err
			}
			if c.Draining() {
				return netconn.ErrDone
			}
			return nil
		}))
		var clients sync.WaitGroup
		var rounds atomic.Int64
		for range 10 {
			nc, err := r.connect()
			if err != nil {
				t.Fatal(err)
			}
			clients.Go(func() {
				defer func() { _ = nc.Close() }()
				_ = nc.SetDeadline(time.Now().Add(patience))
				want := strings.Repeat("hello", 100) + "\n"
				p := make([]byte, len(want))
				for {
					if _, err := io.WriteString(nc, "hello\n"); err != nil {
						return
					}
					n, err := io.ReadFull(nc, p)
					if n > 0 && string(p[:n]) != want {
						t.Errorf("a response was cut after %d bytes: %v", n, err)
					}
					if err != nil {
						return
					}
					rounds.Add(1)
				}
			})
		}
		eventually(t, "some load", func() bool { return rounds.Load() > 100 })
		if err := r.shutdown(); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		clients.Wait()
		if n := r.eng.Stats().Open; n != 0 {
			t.Errorf("%d connections are open after Shutdown", n)
		}
	})
}

// Close and Abort from another goroutine end a connection in any state: before its first byte, within a message, in Data,
// in Fill, in a Write that waits, idle, parked.
func TestCloseEverywhere(t *testing.T) {
	for name, end := range map[string]func(r *rig, c *netconn.Conn){
		"Close": func(r *rig, _ *netconn.Conn) { _ = r.eng.Close() },
		"Abort": func(_ *rig, c *netconn.Conn) { c.Abort() },
	} {
		for _, place := range []string{"fresh", "partial", "data", "fill", "write", "idle", "parked"} {
			t.Run(name+" "+place, func(t *testing.T) {
				onEvery(t, func(t *testing.T, k kind) {
					if place == "parked" && !k.latched() {
						t.Skip("this loop does not park")
					}
					closeAt(t, k, place, end)
				})
			})
		}
	}
}

// closeAt brings a connection to a state and ends it there.
func closeAt(t *testing.T, k kind, place string, end func(r *rig, c *netconn.Conn)) {
	at, release := make(chan struct{}, 1), make(chan struct{})
	conns := make(chan *netconn.Conn, 1)
	r := newRig(t, k)
	cfg := netconn.Config{MinWriteRate: -1}
	if place == "parked" {
		cfg.IdlePark = millis(5)
	}
	cfg.New = func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
		conns <- c
		return &protocol{r: r, data: outside(func(c *netconn.Conn, line string) error {
			switch line {
			case "data":
				at <- struct{}{}
				<-release
			case "fill":
				at <- struct{}{}
				_, err := c.Fill()
				return err
			case "write":
				at <- struct{}{}
				for {
					if _, err := c.Write(make([]byte, 100_000)); err != nil {
						return err
					}
				}
			}
			return echo(c, line)
		})}, nil
	}
	r.start(cfg, r.listen())
	talk := r.dial()
	c := within(t, "the connection", conns)
	switch place {
	case "partial":
		talk.Send("half a li")
	case "data", "fill", "write":
		talk.Send(place + "\n")
		within(t, "Data", at)
	case "idle", "parked":
		talk.Send(place + "\n")
		talk.Want(place + "\n")
	}
	if place == "parked" {
		eventually(t, "the connection to park", func() bool { return r.eng.Stats().Parked == 1 })
	}
	time.Sleep(millis(3)) // lets it begin to wait; if it is too short, the test only shows less
	end(r, c)
	if place == "data" {
		talk.WantGone() // at once: Data does not decide when
	}
	close(release)
	if err := r.wantEnd(); err == nil || err == io.EOF {
		t.Errorf("ended with %v", err)
	}
	talk.WantGone()
	if _, err := c.Write([]byte("x")); err == nil {
		t.Error("Write after the end succeeded")
	}
	end(r, c) // a second end does no harm
}

// When another goroutine's write waits for a peer that reads nothing, its accepted output is still sent within the
// ordinary write deadlines. The end of the connection waits that long, and no longer.
func TestShutdownBehindStuckWriter(t *testing.T) {
	leaks := watchLeaks()
	t.Cleanup(func() { leaks.check(t) }) // the last check of all
	var ends []chan error
	for _, k := range kinds {
		k.shared = true
		failed := make(chan error, 1)
		begun := make(chan struct{})
		cfg := netconn.Config{MinWriteRate: -1, WriteTimeout: millis(100), LingerTimeout: millis(1)}
		r := serve(t, k, cfg, lines(func(c *netconn.Conn, _ string) error {
			go func() {
				close(begun)
				_, err := c.Write(make([]byte, 32<<20))
				failed <- err
			}()
			return nil
		}))
		r.dial().Send("write\n")
		within(t, "the writer", begun)
		ended := make(chan error, 2)
		go func() {
			ended <- r.shutdown()
			ended <- <-failed
		}()
		ends = append(ends, ended)
	}
	for i, ended := range ends {
		if err := within(t, "Shutdown", ended); err != nil {
			t.Errorf("%s: Shutdown: %v", kinds[i].name, err)
		}
		if err := within(t, "the write to fail", ended); err == nil {
			t.Errorf("%s: the write succeeded", kinds[i].name)
		}
	}
}

// A message that was in the socket when the engine was told to end gets its response: its sender cannot know that it came
// too late.
func TestShutdownHandlesWhatHasArrived(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		begun, release := make(chan struct{}), make(chan struct{})
		r := serve(t, k, netconn.Config{}, lines(func(c *netconn.Conn, line string) error {
			if line == "first" {
				close(begun)
				<-release
			}
			return echo(c, line)
		}))
		talk := r.dial()
		talk.Send("first\n")
		within(t, "Data", begun)
		talk.Send("second\n") // on loopback it is there when the call returns
		ended := make(chan error, 1)
		go func() { ended <- r.shutdown() }()
		within(t, "Serve to return", r.done)
		time.Sleep(millis(3)) // for the wake that follows; if it is too short, the test only shows less
		close(release)
		talk.Want("first\nsecond\n")
		talk.WantEOF()
		if err := within(t, "Shutdown", ended); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := r.wantEnd(); err != netconn.ErrShutdown {
			t.Errorf("ended with %v, want ErrShutdown", err)
		}
	})
}

// deaf is a connection whose first Read returns nothing before a deadline has passed, even if the socket has input: a
// poller that checks the deadline first behaves so when both come together.
type deaf struct {
	net.Conn
	reading, passed chan struct{}
	heard           bool // the first Read is over; one goroutine reads
	expire          func()
}

func (c *deaf) Read(p []byte) (int, error) {
	if !c.heard {
		c.heard = true
		close(c.reading)
		<-c.passed
		return 0, os.ErrDeadlineExceeded
	}
	return c.Conn.Read(p)
}

func (c *deaf) SetReadDeadline(at time.Time) error {
	if !at.IsZero() && at.Before(time.Now()) {
		c.expire()
	}
	return c.Conn.SetReadDeadline(at)
}

// deafListener is a listener of deaf connections.
type deafListener struct {
	net.Listener
	reading chan struct{}
}

func (l deafListener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &deaf{Conn: nc, reading: l.reading, passed: make(chan struct{})}
	c.expire = sync.OnceFunc(func() { close(c.passed) })
	return c, nil
}

// A connection that checked for Shutdown in the middle of a message ends after the response to it, without another wake.
func TestShutdownAmidAMessage(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		var arrived atomic.Int64
		r := serve(t, k, netconn.Config{IdleTimeout: -1, IdlePark: -1, MessageTimeout: -1}, watched(&arrived, lines(echo)))
		talk := r.dial()
		talk.Send("hello\n")
		talk.Want("hello\n")
		talk.Send("hal")
		r.arrive(&arrived, 3)
		ended := make(chan error, 1)
		go func() { ended <- r.shutdown() }()
		within(t, "Serve to return", r.done)
		time.Sleep(millis(20)) // time to check its state; if it is too short, the test only shows less
		talk.Send("f\n")
		talk.Want("half\n")
		talk.WantEOF()
		talk.Close()
		if err := within(t, "Shutdown", ended); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := r.wantEnd(); err != netconn.ErrShutdown {
			t.Errorf("ended with %v, want ErrShutdown", err)
		}
	})
}

// A message that arrives together with the wake of Shutdown gets its response, although the read ends with a timeout.
func TestShutdownLooksAgain(t *testing.T) {
	r := newRig(t, kind{name: "deaf tcp", network: "tcp"})
	l := deafListener{r.listen(), make(chan struct{})}
	r.start(netconn.Config{New: func(*netconn.Conn, net.Listener) (netconn.Protocol, error) {
		return &protocol{r: r, data: lines(echo)}, nil
	}}, l)
	talk := r.dial()
	within(t, "the read", l.reading)
	talk.Send("hello\n")
	if err := r.shutdown(); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	talk.Want("hello\n")
	talk.WantEOF()
	if err := r.wantEnd(); err != netconn.ErrShutdown {
		t.Errorf("ended with %v, want ErrShutdown", err)
	}
}

// With a grace, a connection that has sent nothing yet counts as idle only when the grace is over. A first message before
// that gets its response.
func TestShutdownAwaitsFirstMessages(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		const grace = time.Minute // longer would be many ticks
		clk := clock.NewManual()
		r := lastWord(t, k, netconn.Config{Clock: clk, FirstGrace: grace, IdleTimeout: -1}, lines(echo))
		used, early, late, mute := r.dial(), r.dial(), r.dial(), r.dial()
		used.Send("hello\n")
		used.Want("hello\n")
		// A client's handshake may be done before the server's is.
		eventually(t, "all connections to have begun", func() bool { return r.begun.Load() == 4 })
		ended := make(chan error, 1)
		go func() { ended <- r.shutdown() }()

		goodbye := func(talk *wiretest.Talk) {
			t.Helper()
			// The plain loop reads for one tick more.
			eventually(t, "an end", func() bool { clk.Advance(clock.Tick); return len(r.ends) > 0 })
			if err := r.wantEnd(); err != netconn.ErrShutdown {
				t.Errorf("ended with %v, want ErrShutdown", err)
			}
			talk.Want("last word: " + netconn.ErrShutdown.Error() + "\n")
		}
		goodbye(used)
		early.Send("early\n")
		early.Want("early\n")
		goodbye(early)
		for range 50 { // it parks meanwhile
			clk.Advance(time.Second)
		}
		late.Send("late\n")
		late.Want("late\n")
		goodbye(late)
		clk.Advance(grace - 50*time.Second)
		goodbye(mute)
		if err := within(t, "Shutdown", ended); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
}

// The grace also holds for connections whose TLS handshake has not ended.
func TestShutdownAwaitsHandshakes(t *testing.T) {
	atOnce(t, func(k kind) bool { return k.tls }, func(t *testing.T, k kind) {
		const grace = time.Minute
		clk := clock.NewManual()
		r := lastWord(t, k, netconn.Config{Clock: clk, FirstGrace: grace, HandshakeTimeout: -1, IdleTimeout: -1}, lines(echo))
		connect := func() net.Conn {
			nc, err := r.connectTransport()
			if err != nil {
				t.Fatal(err)
			}
			return nc
		}
		late, mute := connect(), connect()
		defer mute.Close()
		eventually(t, "both connections to be accepted", func() bool { return r.eng.Stats().Open == 2 })
		ended := make(chan error, 1)
		go func() { ended <- r.shutdown() }()
		within(t, "Serve to return", r.done)

		clk.Advance(grace - time.Second)
		nc, err := handshake(late)
		if err != nil {
			t.Fatalf("a handshake during the grace: %v", err)
		}
		talk := wiretest.NewTalk(t, nc)
		talk.Send("late\n")
		talk.Want("late\n")
		eventually(t, "Shutdown to end", func() bool { clk.Advance(time.Second); return len(ended) > 0 })
		if err := <-ended; err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := r.wantEnd(); err != netconn.ErrShutdown {
			t.Errorf("ended with %v, want ErrShutdown", err)
		}
	})
}

// Shutdown returns although work goes on, as long as it is told not to wait for it. The connection stays open, and is no
// longer counted once it has ended.
func TestShutdownDoesNotAwait(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r, made := serveWork(t, k, netconn.Config{}, nil)
		first, talk := atWork(t, r, made)
		second, other := atWork(t, r, made)
		for _, v := range []bool{true, true, false, false, true} {
			first.conn.DoNotAwait(v)
		}
		ended := make(chan error, 1)
		go func() { ended <- r.shutdown() }()
		eventually(t, "Shutdown", func() bool { return first.conn.Draining() })
		second.nudge(t)
		if len(ended) > 0 {
			t.Error("Shutdown has not waited for the other connection")
		}
		second.conn.DoNotAwait(true)
		if err := within(t, "Shutdown", ended); err != nil {
			t.Error(err)
		}
		talk.Send("hello\n")
		talk.Want("hello\n")
		for _, w := range []*worker{first, second} {
			w.conn.EndWork()
		}
		talk.WantGone()
		other.WantGone()
		if err := r.shutdown(); err != nil { // when all have ended
			t.Error(err)
		}
		first.conn.DoNotAwait(false)
		first.conn.DoNotAwait(true)
		if err := r.shutdown(); err != nil {
			t.Error(err)
		}
	})
}
