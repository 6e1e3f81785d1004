package netconn_test

import (
	"errors"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Time that the process has lost counts against no peer, but a deadline that the user has set comes when it is due.
func TestLostTime(t *testing.T) {
	const timeout = 20 * time.Second
	onEvery(t, func(t *testing.T, k kind) {
		cfg := still(netconn.Config{IdleTimeout: timeout, IdlePark: -1, MinReadRate: -1})
		r := serve(t, k, cfg, outside(func(c *netconn.Conn, line string) error {
			switch line {
			case "limit":
				c.SetReadTimeout(timeout)
			case "deadline":
				_ = c.SetReadDeadline(c.Wall().Add(timeout))
			default:
				return echo(c, line)
			}
			if err := echo(c, "waits"); err != nil {
				return err
			}
			_, err := c.Fill()
			if errors.Is(err, netconn.ErrSlow) {
				return echo(c, "timed out")
			}
			return echo(c, "filled")
		}))
		talk := r.dial()
		talk.Send("hello\n")
		talk.Want("hello\n")
		r.settled()
		r.clock.Lose(10 * timeout)
		r.pass(timeout / 2)
		talk.Send("still here\n")
		talk.Want("still here\n")
		talk.Send("limit\n")
		talk.Want("waits\n")
		r.settled()
		r.clock.Lose(10 * timeout)
		r.pass(timeout / 2)
		talk.WantSilence(millis(2))
		r.pass(timeout)
		talk.Want("timed out\n")
		talk.Send("deadline\n")
		talk.Want("waits\n")
		r.settled()
		r.clock.Lose(timeout)
		talk.Want("timed out\n")
	})
}
