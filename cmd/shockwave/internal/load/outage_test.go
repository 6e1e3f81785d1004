package load

import (
	"context"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

// refused is the error of a dial that nobody listens for.
var refused = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}

// away drives cfg at a server that ends its first connection, and then is away for so many attempts to connect.
func away(t *testing.T, cfg Config, attempts int64) (*account.Result, error) {
	t.Helper()
	s := play(t, func(p *peer) {
		for p.request() && (p.index > 0 || p.site.asked.Load() < 5) {
			p.say(fine)
		}
	})
	cfg.URL, cfg.Conns, cfg.Duration = s.url, 1, time.Minute
	tries := atomic.Int64{}
	cfg.dial = func(ctx context.Context) (net.Conn, error) {
		if n := tries.Add(1) - 1; n > 0 && n <= attempts {
			return nil, refused
		}
		return new(net.Dialer).DialContext(ctx, "tcp", s.url.Host)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	res, err := Run(ctx, cfg)
	if ctx.Err() != nil {
		t.Error("the run did not end by itself")
	}
	if err == nil {
		balance(t, cfg, res)
	}
	return res, err
}

// A time without a server is an outage, and each attempt in it is an error.
func TestOutage(t *testing.T) {
	t.Parallel()
	res, err := away(t, Config{Requests: 20}, 6)
	if err != nil {
		t.Fatal(err)
	}
	if res.Errors != (account.Errors{Connect: 6, Closed: 1}) || res.Requests != 19 {
		t.Errorf("%d requests, errors %+v", res.Requests, res.Errors)
	}
	// Between seven attempts are pauses of 10, 20, 40, 80, 160, 320 ms.
	if o := res.Outages; len(o) != 1 || o[0].From < 0 || o[0].To-o[0].From < 630*time.Millisecond || o[0].To > res.Elapsed {
		t.Errorf("outages %v in %v", o, res.Elapsed)
	}
}

// A run for a number of requests ends although the server does not return, and the outage lasts to its end.
func TestOutageWithoutEnd(t *testing.T) {
	t.Parallel()
	res, err := away(t, Config{Requests: 20, Timeout: 300 * time.Millisecond}, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	// On a busy machine the first connection may have been too slow for so short a Timeout before it was cut.
	if res.Requests > 4 || res.Errors.Closed+res.Errors.Timeout == 0 || res.Errors.Connect == 0 {
		t.Errorf("%d requests, errors %+v", res.Requests, res.Errors)
	}
	if o := res.Outages; len(o) != 1 || o[0].To != res.Elapsed || o[0].To-o[0].From < 300*time.Millisecond {
		t.Errorf("outages %v in %v", o, res.Elapsed)
	}
}
