package netconn_test

import (
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// worker is a protocol whose work outlives Data: the line "begin" begins some. It reports every run of Data that got
// nothing new, and fails the test if two run at the same time.
type worker struct {
	protocol
	conn    *netconn.Conn
	running atomic.Int32
	nudged  chan string // the unread bytes of a run that took no line

}

func (w *worker) Data(c *netconn.Conn, in []byte) (int, error) {
	if w.running.Add(1) != 1 {
		w.r.t.Error("two runs of Data at the same time")
	}
	defer w.running.Add(-1)
	n, err := w.data(c, in)
	if n == 0 && err == nil {
		select {
		case w.nudged <- string(in):
		default:
		}
	}
	return n, err
}

// serveWork serves workers that handle lines with f, or with echo if f is nil. The workers that New makes come from the channel.
func serveWork(t *testing.T, k kind, cfg netconn.Config, f func(c *netconn.Conn, line string) error) (*rig, chan *worker) {
	t.Helper()
	r := newRig(t, k)
	made := make(chan *worker, 2000)
	if f == nil {
		f = func(c *netconn.Conn, line string) error {
			if line == "begin" {
				c.BeginWork()
			}
			return echo(c, line)
		}
	}
	cfg.New = func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
		w := &worker{protocol: protocol{r: r, data: lines(f)}, conn: c, nudged: make(chan string, 1000)}
		made <- w
		return w, nil
	}
	return r.start(cfg, r.listen()), made
}

// atWork begins a conversation on a connection that has work outstanding and waits.
func atWork(t *testing.T, r *rig, made chan *worker) (*worker, *wiretest.Talk) {
	t.Helper()
	talk := r.dial()
	w := within(t, "the connection", made)
	talk.Send("begin\n")
	talk.Want("begin\n")
	w.waits(t)
	return w, talk
}

// waits waits until the connection waits for input.
func (w *worker) waits(t *testing.T) {
	t.Helper()
	eventually(t, "the connection to wait", func() bool { return netconn.Waits(&w.conn.Link) })
}

// quiet drops the reports of earlier runs.
func (w *worker) quiet() {
	for len(w.nudged) > 0 {
		<-w.nudged
	}
}

// nudge makes Data run, and returns when it has run and the connection waits again.
func (w *worker) nudge(t *testing.T) {
	t.Helper()
	w.quiet()
	w.conn.Nudge()
	within(t, "Data to run after Nudge", w.nudged)
	w.waits(t)
}

// While work is outstanding there is no IdleTimeout; afterwards the idle time starts anew.
func TestWorkIsNotIdle(t *testing.T) {
	const idle = time.Second
	onEvery(t, func(t *testing.T, k kind) {
		clk := clock.NewManual()
		r, made := serveWork(t, k, netconn.Config{Clock: clk, IdleTimeout: idle, IdlePark: -1}, nil)
		w, talk := atWork(t, r, made)
		w.conn.BeginWork()
		for range 3 {
			clk.Advance(2 * idle)
			w.nudge(t)
			clk.Advance(2 * idle)
			talk.Send("hello\n")
			talk.Want("hello\n")
			w.waits(t)
		}
		w.quiet()
		w.conn.EndWork()
		clk.Advance(2 * idle) // some work is left
		w.nudge(t)
		w.quiet()
		w.conn.EndWork()
		if in := within(t, "Data after the last EndWork", w.nudged); in != "" {
			t.Errorf("Data was given %q", in)
		}
		w.waits(t)
		clk.Advance(idle - 4*clock.Tick)
		talk.Send("hello\n")
		talk.Want("hello\n")
		w.waits(t)
		eventually(t, "the idle time to pass", func() bool { clk.Advance(idle); return len(r.ends) > 0 })
		if err := r.wantEnd(); err != netconn.ErrIdle {
			t.Errorf("ended with %v, want ErrIdle", err)
		}
		talk.WantEOF()
	})
}

// A connection keeps its goroutine while work is outstanding, and gives it up afterwards.
func TestWorkIsNotParked(t *testing.T) {
	onSome(t, isLatched, func(t *testing.T, k kind) {
		clk := clock.NewManual()
		r, made := serveWork(t, k, netconn.Config{Clock: clk, IdlePark: time.Second, IdleTimeout: -1}, nil)
		w, talk := atWork(t, r, made)
		for range 5 {
			clk.Advance(2 * time.Second)
			_ = w.conn.SetReadDeadline(time.Time{}) // makes its goroutine check its state
			w.nudge(t)
			if n := r.eng.Stats().Parked; n != 0 {
				t.Fatal("a connection with work outstanding was parked")
			}
		}
		talk.Send("hello\n")
		talk.Want("hello\n")
		if n := r.eng.Stats().Parked; n != 0 {
			t.Fatal("a connection with work outstanding was parked")
		}
		w.conn.EndWork()
		eventually(t, "the connection to park", func() bool { clk.Advance(clock.Tick); return r.eng.Stats().Parked == 1 })
		talk.Send("hello\n")
		talk.Want("hello\n")
	})
}

// A response that is being made when Shutdown is called arrives before the end.
func TestShutdownWaitsForWork(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r, made := serveWork(t, k, netconn.Config{}, nil)
		w, talk := atWork(t, r, made)
		ended := make(chan error, 1)
		go func() { ended <- r.shutdown() }()
		within(t, "Serve to return", r.done)
		for range 3 {
			w.nudge(t) // its goroutine checks its state
		}
		if len(ended) > 0 || len(r.ends) > 0 {
			t.Error("Shutdown has not waited for work")
		}
		talk.Send("hello\n")
		talk.Want("hello\n")
		if _, err := w.conn.Write([]byte("answer\n")); err != nil {
			t.Errorf("Write: %v", err)
		}
		w.conn.EndWork()
		talk.Want("answer\n")
		talk.WantEOF()
		if err := within(t, "Shutdown", ended); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := r.wantEnd(); err != netconn.ErrShutdown {
			t.Errorf("ended with %v, want ErrShutdown", err)
		}
	})
}

// outlasts waits until the connection has seen the end of its peer's half and waits for its work.
func outlasts(t *testing.T) {
	t.Helper()
	netconn.WaitUntilBlocked(t, "chan receive", "runner.awaitWork")
}

// A peer that has closed its half gets the response that is still being made. End is called once, after Data has run once
// more.
func TestHalfCloseDuringWork(t *testing.T) {
	for _, left := range []string{"", "half a li"} {
		want := io.EOF
		if left != "" {
			want = io.ErrUnexpectedEOF
		}
		onSome(t, isAny, func(t *testing.T, k kind) {
			r, made := serveWork(t, k, netconn.Config{MessageTimeout: -1}, nil)
			w, talk := atWork(t, r, made)
			w.conn.BeginWork()
			if left != "" {
				talk.Send(left)
			}
			talk.HalfClose()
			outlasts(t)
			for range 2 {
				w.quiet()
				w.conn.Nudge()
				if in := within(t, "Data", w.nudged); in != left {
					t.Errorf("Data was given %q, want %q", in, left)
				}
			}
			if _, err := w.conn.Write([]byte("first\n")); err != nil {
				t.Errorf("Write: %v", err)
			}
			talk.Want("first\n")
			w.conn.EndWork()
			outlasts(t)
			w.quiet()
			w.conn.Hold() // only the end of the connection sends it
			_, _ = w.conn.Write([]byte("second\n"))
			w.conn.EndWork()
			talk.Want("second\n")
			talk.WantEOF()
			within(t, "Data after the last EndWork", w.nudged)
			if err := r.wantEnd(); err != want {
				t.Errorf("ended with %v, want %v", err, want)
			}
			eventually(t, "the connection to be over", func() bool { return r.eng.Stats().Open == 0 })
			if len(r.ends) > 0 {
				t.Error("End was called twice")
			}
		})
	}
}

// Shutdown also waits for work whose peer has closed its half.
func TestShutdownDuringOutlast(t *testing.T) {
	onSome(t, isAny, func(t *testing.T, k kind) {
		r, made := serveWork(t, k, netconn.Config{}, nil)
		w, talk := atWork(t, r, made)
		talk.HalfClose()
		outlasts(t)
		ended := make(chan error, 1)
		go func() { ended <- r.shutdown() }()
		within(t, "Serve to return", r.done)
		w.quiet()
		w.conn.Nudge()
		within(t, "Data", w.nudged)
		if len(ended) > 0 || len(r.ends) > 0 {
			t.Error("Shutdown has not waited for work")
		}
		_, _ = w.conn.Write([]byte("answer\n"))
		w.conn.EndWork()
		talk.Want("answer\n")
		talk.WantEOF()
		if err := within(t, "Shutdown", ended); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if err := r.wantEnd(); err != io.EOF {
			t.Errorf("ended with %v, want io.EOF", err)
		}
	})
}

// Abort ends the connection at once while work is outstanding, also if the peer has closed its half. What the work does
// afterwards fails and does no harm.
func TestAbortDuringWork(t *testing.T) {
	for _, half := range []bool{false, true} {
		onSome(t, isAny, func(t *testing.T, k kind) {
			r, made := serveWork(t, k, netconn.Config{}, nil)
			w, talk := atWork(t, r, made)
			if half {
				talk.HalfClose()
				outlasts(t)
			}
			w.conn.Abort()
			talk.WantGone()
			if err := r.wantEnd(); err != netconn.ErrAbort {
				t.Errorf("ended with %v, want ErrAbort", err)
			}
			if _, err := w.conn.Write([]byte("late\n")); err == nil {
				t.Error("Write after Abort succeeded")
			}
			eventually(t, "the connection to be over", func() bool { return r.eng.Stats().Open == 0 })
			w.quiet()
			w.conn.EndWork()
			if len(r.ends)+len(w.nudged) > 0 {
				t.Error("Data ran after the end")
			}
		})
	}
}

// A reset is not a half close: it ends the connection although work is outstanding.
func TestResetDuringWork(t *testing.T) {
	onSome(t, isTCP, func(t *testing.T, k kind) {
		r, made := serveWork(t, k, netconn.Config{}, nil)
		w, talk := atWork(t, r, made)
		talk.Reset()
		if err := r.wantEnd(); err == nil || err == io.EOF {
			t.Errorf("ended with %v, want a reset", err)
		}
		w.conn.EndWork()
	})
}

// After work that ends before its Data does, Data runs once more.
func TestWorkWithinData(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r, made := serveWork(t, k, netconn.Config{}, func(c *netconn.Conn, line string) error {
			c.BeginWork()
			c.EndWork()
			return echo(c, line)
		})
		talk := r.dial()
		w := within(t, "the connection", made)
		w.quiet()
		talk.Send("hello\n")
		talk.Want("hello\n")
		within(t, "Data to run once more", w.nudged)
		talk.Send("hello\n")
		talk.Want("hello\n")
	})
}

// When much work ends at random times and the peer closes its half meanwhile, every response arrives.
func TestWorkStorm(t *testing.T) {
	const rounds, count = 20, 50
	onEvery(t, func(t *testing.T, k kind) {
		r, made := serveWork(t, k, netconn.Config{IdlePark: time.Microsecond}, func(c *netconn.Conn, line string) error {
			c.BeginWork()
			go func() {
				if len(line)%3 == 0 {
					time.Sleep(time.Duration(len(line)) * 10 * time.Microsecond)
				}
				if err := echo(c, line); err != nil {
					t.Errorf("a response failed with %v", err)
				}
				c.EndWork()
			}()
			return nil
		})
		for round := range rounds {
			talk := r.dial()
			within(t, "the connection", made)
			for i := range count {
				talk.Send(strings.Repeat("x", i) + "\n")
			}
			talk.HalfClose()
			got := strings.Split(talk.Rest(), "\n")
			seen := map[int]int{}
			for _, line := range got[:len(got)-1] {
				seen[len(line)]++
			}
			if len(seen) != count || len(got) != count+1 {
				t.Fatalf("round %d: got %d responses, want %d", round, len(got)-1, count)
			}
			if err := r.wantEnd(); err != io.EOF {
				t.Errorf("round %d: ended with %v, want io.EOF", round, err)
			}
		}
	})
}

// tardy is a connection that has received the end of its stream and returns it only when it may.
type tardy struct {
	net.Conn
	seen, may chan struct{}
	once      *sync.Once
}

func (c *tardy) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err == io.EOF {
		c.once.Do(func() { close(c.seen) })
		<-c.may
	}
	return n, err
}

type tardyListener struct {
	net.Listener
	seen, may chan struct{}
}

func (l tardyListener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &tardy{Conn: nc, seen: l.seen, may: l.may, once: new(sync.Once)}, nil
}

// If work ends just when the reader has read the end of the stream, Data still runs once more, as EndWork promises: it may
// have to respond.
func TestLastWorkMeetsTheEnd(t *testing.T) {
	r := newRig(t, kind{name: "tardy tcp", network: "tcp"})
	l := tardyListener{r.listen(), make(chan struct{}), make(chan struct{})}
	var over atomic.Bool
	conns := make(chan *netconn.Conn, 1)
	r.start(netconn.Config{New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
		conns <- c
		return &protocol{r: r, data: func(c *netconn.Conn, in []byte) (int, error) {
			if len(in) > 0 {
				c.BeginWork()
				return len(in), echo(c, "begun")
			}
			if over.Load() {
				return 0, echo(c, "answer")
			}
			return 0, nil
		}}, nil
	}}, l)
	talk := r.dial()
	c := within(t, "the connection", conns)
	talk.Send("begin\n")
	talk.Want("begun\n")
	talk.HalfClose()
	within(t, "the end of the stream", l.seen)
	over.Store(true)
	c.EndWork()
	close(l.may)
	talk.Want("answer\n")
	talk.WantEOF()
	if err := r.wantEnd(); err != io.EOF {
		t.Errorf("ended with %v, want io.EOF", err)
	}
}

// A Nudge makes Data run without bytes on an idle connection, with the unread bytes in the middle of a message, and once
// more after a run under way.
func TestNudge(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		busy, release := make(chan struct{}), make(chan struct{})
		r, made := serveWork(t, k, netconn.Config{}, func(c *netconn.Conn, line string) error {
			if line == "busy" {
				busy <- struct{}{}
				<-release
			}
			return echo(c, line)
		})
		talk := r.dial()
		w := within(t, "the connection", made)
		w.waits(t)
		nudge := func(want string) {
			t.Helper()
			w.quiet()
			w.conn.Nudge()
			if in := within(t, "Data", w.nudged); in != want {
				t.Errorf("Data was given %q, want %q", in, want)
			}
		}
		for range 3 {
			nudge("") // before the first byte, and later
			talk.Send("hello\n")
			talk.Want("hello\n")
			w.waits(t)
		}
		talk.Send("half a ")
		for in := ""; in != "half a "; { // it may arrive in pieces
			in = within(t, "Data", w.nudged)
		}
		nudge("half a ")
		talk.Send("line\n")
		talk.Want("half a line\n")
		w.quiet()
		talk.Send("busy\n")
		within(t, "Data", busy)
		w.quiet()
		w.conn.Nudge()
		w.conn.Nudge()
		if len(w.nudged) > 0 {
			t.Error("Data ran while Data ran")
		}
		release <- struct{}{}
		talk.Want("busy\n")
		if in := within(t, "Data after the run under way", w.nudged); in != "" {
			t.Errorf("Data was given %q", in)
		}
		talk.Send("hello\n")
		talk.Want("hello\n")
	})
}

// A Nudge wakes a parked connection, which parks again.
func TestNudgeParked(t *testing.T) {
	onSome(t, isLatched, func(t *testing.T, k kind) {
		r, made := serveWork(t, k, netconn.Config{IdlePark: millis(5)}, nil)
		talk := r.dial()
		w := within(t, "the connection", made)
		for range 5 {
			eventually(t, "the connection to park", func() bool { s := r.eng.Stats(); return s.Parked == 1 && s.Active == 0 })
			w.quiet()
			w.conn.Nudge()
			if in := within(t, "Data", w.nudged); in != "" {
				t.Errorf("Data was given %q", in)
			}
		}
		talk.Send("hello\n")
		talk.Want("hello\n")
	})
}

// What a Data without bytes writes is sent, and its error ends the connection.
func TestNudgeResponds(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		var last atomic.Bool
		conns := make(chan *netconn.Conn, 1)
		r := newRig(t, k)
		r.start(netconn.Config{New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
			conns <- c
			return &protocol{r: r, data: func(c *netconn.Conn, in []byte) (int, error) {
				if last.Load() {
					_, _ = c.Write([]byte("bye\n"))
					return len(in), netconn.ErrDone
				}
				_, err := c.Write([]byte("nudged\n"))
				return len(in), err
			}}, nil
		}}, r.listen())
		talk := r.dial()
		c := within(t, "the connection", conns)
		for range 3 {
			c.Nudge()
			talk.Want("nudged\n")
		}
		last.Store(true)
		c.Nudge()
		talk.Want("bye\n")
		talk.WantEOF()
		if err := r.wantEnd(); err != nil {
			t.Errorf("ended with %v", err)
		}
		c.Nudge() // there is no goroutine to wake
	})
}

// Many goroutines nudge while messages come and the connection parks and wakes. Data never runs twice at the same time,
// and after the last Nudge it has run.
func TestNudgeStorm(t *testing.T) {
	const nudgers, rounds = 4, 300
	onEvery(t, func(t *testing.T, k kind) {
		var asked, seen atomic.Int64
		var running atomic.Int32
		conns := make(chan *netconn.Conn, 1)
		r := newRig(t, k)
		r.start(netconn.Config{IdlePark: time.Microsecond, New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
			conns <- c
			echoed := lines(echo)
			return &protocol{r: r, data: func(c *netconn.Conn, in []byte) (int, error) {
				if running.Add(1) != 1 {
					t.Error("two runs of Data at the same time")
				}
				defer running.Add(-1)
				seen.Store(asked.Load())
				return echoed(c, in)
			}}, nil
		}}, r.listen())
		talk := r.dial()
		c := within(t, "the connection", conns)
		var all sync.WaitGroup
		for i := range nudgers {
			all.Go(func() {
				for n := range rounds {
					asked.Add(1)
					c.Nudge()
					if n%(10+i) == 0 {
						time.Sleep(time.Duration(i*300) * time.Microsecond) // it parks meanwhile
					}
				}
			})
		}
		for range rounds {
			talk.Send("hello\n")
			talk.Want("hello\n")
		}
		all.Wait()
		eventually(t, "a run of Data after the last Nudge", func() bool { return seen.Load() == nudgers*rounds })
		for range 50 { // a single one, just as it parks
			n := asked.Add(1)
			c.Nudge()
			eventually(t, "a run of Data after a Nudge", func() bool { return seen.Load() == n })
		}
		talk.HalfClose()
		talk.WantEOF()
		if err := r.wantEnd(); err != io.EOF {
			t.Errorf("ended with %v, want io.EOF", err)
		}
	})
}
