package netconn_test

import (
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// farewell is a Drainer: it sends goodbye, and is done when the peer sends "bye".
type farewell struct {
	protocol
	conn   *netconn.Conn
	drains atomic.Int32
}

func (f *farewell) Drain() {
	if f.drains.Add(1) == 1 {
		go func() { _, _ = f.conn.Write([]byte("goodbye\n")) }() // Drain must not wait
	}
}

func (r *rig) newFarewell(c *netconn.Conn) *farewell {
	return &farewell{conn: c, protocol: protocol{r: r, data: lines(func(c *netconn.Conn, line string) error {
		if line == "bye" {
			return netconn.ErrDone
		}
		return echo(c, line)
	})}}
}

// serveFarewell serves farewells.
func serveFarewell(t *testing.T, k kind, cfg netconn.Config) (*rig, chan *farewell) {
	t.Helper()
	r := newRig(t, k)
	made := make(chan *farewell, 10)
	cfg.New = func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
		f := r.newFarewell(c)
		made <- f
		return f, nil
	}
	return r.start(cfg, r.listen()), made
}

// Shutdown calls Drain, on a connection that is idle, parked or in the middle of a message, and waits until its Data is
// done.
func TestDrain(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		for _, place := range []string{"fresh", "idle", "partial", "parked"} {
			if place == "parked" && !k.latched() {
				continue
			}
			cfg := netconn.Config{IdlePark: -1}
			if place == "parked" {
				cfg.IdlePark = millis(5)
			}
			r, made := serveFarewell(t, k, cfg)
			talk := r.dial()
			f := within(t, "the connection", made)
			rest := ""
			switch place {
			case "idle":
				talk.Send("hello\n")
				talk.Want("hello\n")
			case "partial":
				talk.Send("hel")
				rest = "lo\n"
			case "parked":
				eventually(t, "the connection to park", func() bool { return r.eng.Stats().Parked == 1 })
			}
			eventually(t, "the connection to wait", func() bool { return netconn.Waits(&f.conn.Link) })
			ended := make(chan error, 1)
			go func() { ended <- r.shutdown() }()
			talk.Want("goodbye\n")
			for range 3 { // it is not ended when it is idle
				talk.Send(rest)
				if rest != "" {
					talk.Want("hello\n")
				}
				f.conn.Nudge()
				talk.Send("still here\n")
				talk.Want("still here\n")
				rest = ""
			}
			if len(ended) > 0 || len(r.ends) > 0 {
				t.Error("Shutdown has not waited")
			}
			talk.Send("bye\n")
			talk.WantEOF()
			if err := r.wantEnd(); err != nil {
				t.Errorf("%s: ended with %v", place, err)
			}
			if err := within(t, "Shutdown", ended); err != nil {
				t.Errorf("%s: Shutdown: %v", place, err)
			}
			talk.Close()
		}
	})
}

// A connection that begins while Shutdown runs is drained, and so is one that gets a Drainer as its protocol then.
func TestDrainNewcomer(t *testing.T) {
	for _, becomes := range []bool{false, true} {
		onEvery(t, func(t *testing.T, k kind) {
			begun, release := make(chan struct{}), make(chan struct{})
			r := newRig(t, k)
			r.start(netconn.Config{New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
				wait := func() {
					close(begun)
					<-release
				}
				if !becomes {
					wait()
					return r.newFarewell(c), nil
				}
				return &protocol{r: r, data: lines(func(c *netconn.Conn, _ string) error {
					wait()
					c.Become(r.newFarewell(c))
					return nil
				})}, nil
			}}, r.listen())
			talk := r.dial()
			if becomes {
				talk.Send("become\n")
			}
			within(t, "the connection", begun)
			ended := make(chan error, 1)
			go func() { ended <- r.shutdown() }()
			within(t, "Serve to return", r.done)
			close(release)
			talk.Want("goodbye\n")
			talk.Send("hello\n")
			talk.Want("hello\n")
			talk.Send("bye\n")
			talk.WantEOF()
			if err := r.wantEnd(); err != nil {
				t.Errorf("ended with %v", err)
			}
			if err := within(t, "Shutdown", ended); err != nil {
				t.Errorf("Shutdown: %v", err)
			}
		})
	}
}

// A Drain that only asks for a run of Data gets it, wherever the connection is. Data may send the goodbye then.
func TestDrainNudges(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		r := newRig(t, k)
		var begun atomic.Bool
		r.start(netconn.Config{IdlePark: millis(5), New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
			begun.Store(true)
			return &nudger{c, protocol{r: r, data: func(c *netconn.Conn, in []byte) (int, error) {
				if !c.Draining() {
					return len(in), nil
				}
				_, _ = c.Write([]byte("goodbye\n"))
				return len(in), netconn.ErrDone
			}}}, nil
		}}, r.listen())
		talk := r.dial()
		eventually(t, "the connection to begin", begun.Load)
		if k.latched() {
			eventually(t, "the connection to park", func() bool { return r.eng.Stats().Parked == 1 })
		}
		if err := r.shutdown(); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		talk.Want("goodbye\n")
		talk.WantEOF()
		if err := r.wantEnd(); err != nil {
			t.Errorf("ended with %v", err)
		}
	})
}

// nudger is a Drainer that nudges.
type nudger struct {
	c *netconn.Conn
	protocol
}

func (n *nudger) Drain() { n.c.Nudge() }

// IdleTimeout goes on for a Drainer, also while Shutdown runs.
func TestDrainerIsIdle(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		clk := clock.NewManual()
		r, made := serveFarewell(t, k, netconn.Config{Clock: clk, IdleTimeout: time.Second, IdlePark: -1})
		talk := r.dial()
		f := within(t, "the connection", made)
		eventually(t, "the connection to wait", func() bool { return netconn.Waits(&f.conn.Link) })
		ended := make(chan error, 1)
		go func() { ended <- r.shutdown() }()
		talk.Want("goodbye\n")
		eventually(t, "the idle time to pass", func() bool { clk.Advance(time.Second); return len(r.ends) > 0 })
		if err := r.wantEnd(); err != netconn.ErrIdle {
			t.Errorf("ended with %v, want ErrIdle", err)
		}
		talk.WantEOF()
		if err := within(t, "Shutdown", ended); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	})
}

// leaver is an Owner that counts the calls of Drain.
type leaver struct{ told chan struct{} }

func (l leaver) Drain() {
	select {
	case l.told <- struct{}{}:
	default:
	}
}

// Shutdown calls Drain of the Owner of a Pulled, which only its Finish ends. After that there is no Pull.
func TestDrainOwner(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		r := newRig(t, k)
		e := netconn.New(brief(netconn.Config{Loop: k.loop}))
		near, far := connection(t, k)
		who := leaver{make(chan struct{}, 1)}
		c, err := e.Pull(near, nil, who)
		if err != nil {
			t.Fatal(err)
		}
		filled := make(chan error, 1)
		go func() {
			for range 2 {
				b, err := c.Fill()
				c.Take(len(b))
				filled <- err
			}
		}()
		r.eng = e
		ended := make(chan error, 1)
		go func() { ended <- r.shutdown() }()
		within(t, "Drain", who.told)
		for range 2 {
			if _, err := far.Write([]byte("x")); err != nil {
				t.Fatal(err)
			}
			if err := within(t, "Fill", filled); err != nil {
				t.Errorf("Fill while Shutdown runs: %v", err)
			}
		}
		if len(ended) > 0 {
			t.Error("Shutdown has not waited")
		}
		go c.Finish(netconn.ErrDone) // it lingers until its peer closes
		if _, err := readAll(far, 1); err == nil {
			t.Error("a call came after Finish")
		}
		_ = far.Close()
		if err := within(t, "Shutdown", ended); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		near, far = connection(t, k)
		if _, err := e.Pull(near, nil, who); err != netconn.ErrShutdown {
			t.Errorf("Pull afterwards: %v", err)
		}
		if _, err := readAll(far, 1); err == nil {
			t.Error("a connection that was refused is open")
		}
		_ = far.Close()
	})
}
