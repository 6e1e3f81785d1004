package tcpmux_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/tcpmux"
)

// On a network where a greeting takes longer than the waits between attempts, the first attempt that gets a reply succeeds.
func TestFarAway(t *testing.T) {
	t.Parallel()
	const lag = 300 * time.Millisecond
	r := newRig(t, tcpmux.Config{})
	r.p.lag = lag
	a, b := r.session(tcpmux.Config{NetDial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		select {
		case <-time.After(2 * lag): // what the network takes to connect: the proxy is near
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return new(net.Dialer).DialContext(ctx, network, addr)
	}})
	x, y := r.channel(a, b, "x")
	r.p.cut()
	r.send(x, "there")
	r.want(y, "there")
	r.send(y, "back")
	r.want(x, "back")
	if _, err := a.Ping(r.ctx); err != nil {
		t.Error(err)
	}
	if n, m := a.Stats().Resumed, b.Stats().Resumed; n != 1 || m != 1 {
		t.Errorf("resumed %d and %d times after one cut", n, m)
	}
}

// A session is resumed at a listener that accepts connections at once and replies much later.
func TestAnswersLate(t *testing.T) {
	t.Parallel()
	r := newRig(t, tcpmux.Config{})
	r.p.lag = 300 * time.Millisecond
	var dials atomic.Int32
	a, b := r.session(tcpmux.Config{NetDial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		dials.Add(1)
		return new(net.Dialer).DialContext(ctx, network, addr)
	}})
	x, y := r.channel(a, b, "x")
	cut := time.Now()
	r.p.cut()
	r.send(x, "there")
	r.want(y, "there")
	if n := a.Stats().Resumed; n != 1 {
		t.Errorf("resumed %d times after one cut", n)
	}
	// A greeting takes 1.2 s, twice the way there and back: meanwhile one other try at a time is made, and none more often than
	// every 500 ms.
	if n, took := dials.Load(), time.Since(cut); int64(n) > 3+int64(took/(500*time.Millisecond)) {
		t.Errorf("%d connections were opened in %v", n, took)
	}
}
