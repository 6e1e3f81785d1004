package netconn_test

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// A connection that has not been used parks early; one that is used often keeps its goroutine.
func TestParkByHabit(t *testing.T) {
	atOnce(t, isLatched, func(t *testing.T, k kind) {
		const park = 20 * time.Second
		r := serve(t, k, still(netconn.Config{IdlePark: park}), lines(echo))
		talk := r.dial()
		talk.Send("first\n")
		talk.Want("first\n")
		r.settled()
		r.pass(park / 200)
		eventually(t, "a new connection to park", func() bool { return r.eng.Stats().Parked == 1 })
		talk.Send("again\n")
		talk.Want("again\n")
		r.settled()
		r.pass(park - clock.Tick)
		time.Sleep(millis(5)) // time in which it could park by mistake; if it is too short, the test only shows less
		if n := r.eng.Stats().Parked; n != 0 {
			t.Error("a connection that is used often was parked before its time")
		}
		r.pass(clock.Tick)
		eventually(t, "the connection to park in the end", func() bool { return r.eng.Stats().Parked == 1 })
	})
}

// A connection that has let IdlePark pass between two messages parks without waiting for the clock again.
func TestRareParksAtOnce(t *testing.T) {
	atOnce(t, isLatched, func(t *testing.T, k kind) {
		const park = 20 * time.Second
		r := serve(t, k, still(netconn.Config{IdlePark: park}), lines(echo))
		talk := r.dial()
		for n := range 3 {
			talk.Send("now and then\n")
			talk.Want("now and then\n")
			if n == 0 {
				r.settled()
				r.pass(park / 200)
			}
			eventually(t, "the connection to park", func() bool { return r.eng.Stats().Parked == 1 })
			r.pass(park)
		}
		talk.Send("twice\n")
		talk.Want("twice\n")
		talk.Send("at once\n")
		talk.Want("at once\n")
	})
}

// Bytes that arrive while work goes on, and bytes that do not count as use, do not make a connection a frequent one.
func TestWorkIsOneUse(t *testing.T) {
	atOnce(t, isLatched, func(t *testing.T, k kind) {
		const park = 20 * time.Second
		r, made := serveWork(t, k, still(netconn.Config{IdlePark: park}), func(c *netconn.Conn, line string) error {
			switch line {
			case "hello":
				c.StayIdle()
			case "begin":
				c.BeginWork()
			}
			return echo(c, line)
		})
		talk := r.dial()
		w := within(t, "the connection", made)
		for _, line := range []string{"hello\n", "begin\n", "more\n", "more\n"} {
			talk.Send(line)
			talk.Want(line)
			w.waits(t)
			r.pass(clock.Tick)
		}
		w.quiet()
		w.conn.EndWork()
		within(t, "Data after the last EndWork", w.nudged)
		w.waits(t)
		r.pass(park / 200)
		eventually(t, "the connection to park as one that was used once", func() bool { return r.eng.Stats().Parked == 1 })
	})
}
