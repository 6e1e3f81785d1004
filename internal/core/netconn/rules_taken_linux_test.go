package netconn_test

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// slowly is a connection that writes to a peer that reads when the test wants, while the clock stands still.
type slowly struct {
	t    *testing.T
	clk  *clock.Clock
	c    *netconn.Pulled
	far  net.Conn
	done chan error // of the write
}

func newSlowly(t *testing.T, cfg netconn.Config) *slowly {
	cfg.MinWriteRate = -1
	cfg = still(cfg)
	e := netconn.New(cfg)
	near, far := connection(t, kind{network: "tcp"})
	_ = far.(*net.TCPConn).SetReadBuffer(32 << 10) // so that it soon shows what was read
	_ = far.SetDeadline(time.Now().Add(patience))
	c, err := e.Pull(near, nil, nobody{})
	if err != nil {
		t.Fatal(err)
	}
	s := &slowly{t: t, clk: cfg.Clock, c: c, far: far, done: make(chan error, 1)}
	t.Cleanup(func() {
		c.Abort()
		c.Finish(netconn.ErrAbort)
		_ = far.Close()
		_ = e.Close()
	})
	go func() {
		_, err := c.Write(make([]byte, 32<<20))
		s.done <- err
	}()
	stuck(t, &c.Link)
	return s
}

// takes makes the peer read until the writer's side shows it.
func (s *slowly) takes() {
	s.t.Helper()
	before := s.c.Progress().Taken
	eventually(s.t, "the peer's reading to show", func() bool {
		if _, err := io.CopyN(io.Discard, s.far, 8<<10); err != nil {
			s.t.Fatal(err)
		}
		return s.c.Progress().Taken > before
	})
}

// looks waits until the writer has looked at the peer, if it is time for that. A writer that began to wait while the
// clock moved looks when it moves again.
func (s *slowly) looks() {
	s.t.Helper()
	eventually(s.t, "the writer to look", func() bool {
		s.clk.Advance(1)
		return !netconn.WriterLooks(&s.c.Link)
	})
}

// A peer on a slow line takes what the system has accepted, and the system accepts more only when much of it is gone. Such
// a peer is not cut off; one that takes nothing is found in time.
func TestTakesWithinWriteTimeout(t *testing.T) {
	const limit = 20 * time.Second
	s := newSlowly(t, netconn.Config{WriteTimeout: limit})
	if !s.c.Looks() {
		t.Skip("on the plain loop only what the system accepts is seen")
	}
	for range 10 {
		s.takes()
		for range 3 {
			s.clk.Advance(limit / 4)
			s.looks()
		}
	}
	if len(s.done) > 0 {
		t.Fatalf("a peer that reads is cut off: %v", <-s.done)
	}
	for range 6 { // the last look at progress may have been a quarter later
		s.clk.Advance(limit / 4)
		s.looks()
	}
	select {
	case err := <-s.done:
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("the writer still waits")
	}
}

// A peer that slowly takes a long message counts as alive, and as dead in time when it takes nothing.
func TestPulseOfASlowReader(t *testing.T) {
	const interval = int64(10 * time.Second)
	s := newSlowly(t, netconn.Config{WriteTimeout: -1})
	var p netconn.Pulse
	now := s.clk.Now()
	p.Heard(now)
	now += interval
	if state, _ := p.Beat(&s.c.Output, now, true, interval, interval); state != netconn.PulseAsk {
		t.Fatal("it is not asked")
	}
	p.Post(&s.c.Output, netconn.Whole, []byte("ping"))
	for range 10 {
		s.takes()
		now += interval * 3 / 4
		if state, _ := p.Beat(&s.c.Output, now, true, interval, interval); state != netconn.PulseQuiet {
			t.Fatal("a peer that reads is taken for dead")
		}
	}
	found := now
	for state := netconn.PulseQuiet; state != netconn.PulseSilent; found += int64(time.Second) {
		state, _ = p.Beat(&s.c.Output, found, true, interval, interval)
	}
	if d := time.Duration(found - now); d < time.Duration(interval) || d > 10*time.Duration(interval) {
		t.Errorf("the dead peer was found after %v", d)
	}
}
