package streamsock

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// A wait before the next attempt ends when dialling is stopped.
func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dialler{dialling: new(dialling)}
		d.ctx, d.stop = context.WithCancel(t.Context())
		for _, wait := range []time.Duration{0, 1, time.Minute} {
			began := time.Now()
			if !d.pause(wait) || time.Since(began) != wait {
				t.Errorf("%v instead of %v", time.Since(began), wait)
			}
		}
		time.AfterFunc(time.Second, d.stop)
		began := time.Now()
		if d.pause(time.Hour) || time.Since(began) != time.Second {
			t.Errorf("ended after %v", time.Since(began))
		}
	})
}

// nowhere is a Config.NetDial that fails.
func nowhere(context.Context, string, string) (net.Conn, error) { return nil, errors.New("nowhere") }

// Each wait is twice the one before, up to the longest.
func TestRedialWaits(t *testing.T) {
	for _, tc := range []struct {
		longest time.Duration
		want    []time.Duration // the longest that each may be, in seconds
	}{
		{5 * time.Second, []time.Duration{1, 2, 4, 5, 5}},
		{-1, []time.Duration{1, 2, 4, 8, 16}},
	} {
		synctest.Test(t, func(t *testing.T) {
			tries := make(chan time.Time)
			s := New(Config{
				RedialFirst: time.Second, RedialLongest: tc.longest, Linger: -1,
				NetDial:     nowhere,
				OnDialError: func(*Peer, error) { tries <- time.Now() },
			})
			p, err := s.Connect("tcp://192.0.2.1:1")
			if err != nil {
				t.Fatal(err)
			}
			at := <-tries
			for i, want := range tc.want {
				next := <-tries
				if d := next.Sub(at); d > want*time.Second || d < want*time.Second/2 {
					t.Errorf("wait %d: %v, want %v at most", i, d, want*time.Second)
				}
				at = next
			}
			if err := p.Disconnect(0, ""); err != nil {
				t.Error(err)
			}
			<-p.Done()
			_ = s.Shutdown(t.Context())
		})
	}
}
