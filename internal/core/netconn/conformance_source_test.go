package netconn_test

import (
	"io"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// A peer that takes nothing of a source's output is too slow, as one is that takes nothing of written output, even if it
// goes on sending.
func TestSourceIsJudged(t *testing.T) {
	const second = time.Second
	for name, cfg := range map[string]netconn.Config{
		"rate":    {MinWriteRate: 100_000, RateGrace: second},
		"timeout": {MinWriteRate: -1, WriteTimeout: 4 * second},
	} {
		t.Run(name, func(t *testing.T) {
			onEvery(t, func(t *testing.T, k kind) {
				cfg := still(cfg)
				cfg.IdleTimeout, cfg.LingerTimeout = -1, millis(50)
				s := &streams{}
				s.give(1<<20, 1<<20)
				heard := make(chan struct{}, 1)
				r, made := serveSource(t, k, cfg, s, func(c *netconn.Conn, line string) error {
					c.Draw(s)
					heard <- struct{}{}
					return nil
				})
				talk := r.dial()
				c := within(t, "the connection", made)
				for range 3 {
					talk.Send("more\n")
					within(t, "a line", heard)
					stuck(t, &c.Link)
					r.pass(second / 2)
				}
				if r.ended() {
					t.Fatal("the connection ended too early")
				}
				r.passUntil(second/4, "the connection to end", r.ended)
				if err := r.wantEnd(); err != netconn.ErrSlow {
					t.Errorf("ended with %v, want ErrSlow", err)
				}
			})
		})
	}
}

// Time in which there is nothing to send does not count against the peer, however output was sent before.
func TestSilenceIsNotJudged(t *testing.T) {
	onEvery(t, func(t *testing.T, k kind) {
		cfg := still(netconn.Config{WriteTimeout: time.Minute, MinWriteRate: -1, IdleTimeout: -1, LingerTimeout: millis(50)})
		s := &streams{}
		r, _ := serveSource(t, k, cfg, s, func(c *netconn.Conn, line string) error {
			if line == "draw" {
				s.give(1, 0)
				c.Draw(s)
				return nil
			}
			return echo(c, line)
		})
		talk := r.dial()
		for n := range 3 {
			talk.Send("draw\n")
			talk.Want(streamUnit(0, n))
			r.settled()
			r.pass(10 * time.Minute)
			talk.Send("hello\n")
			talk.Want("hello\n")
			r.settled()
			r.pass(10 * time.Minute)
		}
	})
}

// A connection with unsent output is not parked. What its source has given and still has is sent before the connection
// ends, however late the peer reads.
func TestSourceIsNotCut(t *testing.T) {
	const units = 8_000 // more than sockets take
	for name, want := range map[string]error{"idle": netconn.ErrIdle, "done": nil, "half": io.EOF} {
		t.Run(name, func(t *testing.T) {
			onEvery(t, func(t *testing.T, k kind) {
				cfg := still(netconn.Config{MinWriteRate: -1, IdlePark: time.Second, IdleTimeout: time.Minute, LingerTimeout: patience})
				s := &streams{}
				s.give(units, 0)
				r, made := serveSource(t, k, cfg, s, func(c *netconn.Conn, line string) error {
					c.Draw(s)
					if line == "last" {
						return netconn.ErrDone
					}
					return nil
				})
				talk := r.dial()
				c := within(t, "the connection", made)
				talk.Send("draw\n")
				stuck(t, &c.Link)
				for range 30 {
					r.pass(time.Second)
					r.settled()
				}
				if r.eng.Stats().Parked > 0 || r.ended() {
					t.Error("the connection was parked, or ended, with unsent output")
				}
				switch name {
				case "idle":
					r.passUntil(time.Second, "the idle time to pass", r.ended)
				case "done":
					talk.Send("last\n")
				case "half":
					talk.HalfClose()
				}
				if name != "done" { // its End is called when everything has left
					if err := r.wantEnd(); err != want {
						t.Errorf("ended with %v, want %v", err, want)
					}
				}
				for n := range units {
					talk.Want(streamUnit(0, n))
				}
				talk.WantEOF()
			})
		})
	}
}
