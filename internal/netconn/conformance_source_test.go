package netconn_test

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// TestSourceIsJudged: who takes nothing of what a source gives is cut as who takes nothing of what is written, and to go
// on asking for more is no excuse.
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
					t.Fatal("cut before its time")
				}
				r.passUntil(second/4, "the connection to end", r.ended)
				if err := r.wantEnd(); err != netconn.ErrSlow {
					t.Errorf("ended with %v, want ErrSlow", err)
				}
			})
		})
	}
}
