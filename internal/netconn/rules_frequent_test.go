package netconn_test

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// TestParkByHabit: a connection of which nothing is known parks early, one that is used often keeps its goroutine.
func TestParkByHabit(t *testing.T) {
	onSome(t, isLatched, func(t *testing.T, k kind) {
		const park = 2 * time.Second
		r := serve(t, k, netconn.Config{IdlePark: park}, lines(echo))
		talk := r.dial()
		talk.Send("first\n")
		talk.Want("first\n")
		began := time.Now()
		eventually(t, "it to park", func() bool { return r.eng.Stats().Parked == 1 })
		if d := time.Since(began); d >= park {
			t.Errorf("a new connection was parked after %v, want about a 200th of %v", d, park)
		}
		talk.Send("again\n")
		talk.Want("again\n")
		began = time.Now()
		time.Sleep(park / 4)
		if n := r.eng.Stats().Parked; n != 0 && time.Since(began) < park {
			t.Errorf("a connection that is used often was parked after %v", time.Since(began))
		}
	})
}

// TestRareParksAtOnce: a connection that has let IdlePark pass between two messages does not wait for the clock again.
func TestRareParksAtOnce(t *testing.T) {
	onSome(t, isLatched, func(t *testing.T, k kind) {
		const park = 300 * time.Millisecond
		r := serve(t, k, netconn.Config{IdlePark: park}, lines(echo))
		talk := r.dial()
		for range 3 {
			talk.Send("now and then\n")
			talk.Want("now and then\n")
			eventually(t, "it to park", func() bool { return r.eng.Stats().Parked == 1 })
			time.Sleep(park)
		}
		talk.Send("twice\n")
		talk.Want("twice\n")
		talk.Send("at once\n")
		talk.Want("at once\n")
	})
}
