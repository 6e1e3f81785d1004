package load

import (
	"context"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// refused is the error of a dial that nobody listens for.
var refused = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}

// away drives cfg at a server that ends its first connection, and then is away for so many attempts to connect.
func away(t *testing.T, cfg Config, attempts int64) (*Result, error) {
	t.Helper()
	s := play(t, func(p *peer) {
		for p.request() && (p.index > 0 || p.site.asked.Load() < 5) {
			p.say(fine)
		}
	})
	cfg.URL, cfg.Conns, cfg.Duration = s.url, 1, time.Minute
	r := made(t, cfg)
	dial, tries := r.opener.dial, atomic.Int64{}
	r.opener.dial = func(ctx context.Context) (net.Conn, error) {
		if n := tries.Add(1) - 1; n > 0 && n <= attempts {
			return nil, refused
		}
		return dial(ctx)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	res, err := r.drive(ctx)
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
	if res.Errors != (Errors{Connect: 6, Closed: 1}) || res.Requests != 19 {
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

// Only the part of an outage within the counted time counts.
func TestOutagesWithin(t *testing.T) {
	const ms = int64(time.Millisecond)
	var open atomic.Int64
	var o outages
	o.emptied(100 * ms)
	o.begin(&open)
	o.begin(&open) // another connection finds the same
	o.end(300 * ms)
	o.end(310 * ms)
	o.emptied(400 * ms)
	o.begin(&open)
	o.end(450 * ms) // too short
	open.Store(1)
	o.emptied(500 * ms)
	o.begin(&open) // one has been opened meanwhile
	if d := o.lasted(900 * ms); d != 0 {
		t.Errorf("an outage of %v with a connection", d)
	}
	open.Store(0)
	o.emptied(600 * ms)
	o.begin(&open)
	if d := o.lasted(900 * ms); d != 300*time.Millisecond {
		t.Errorf("an outage of %v, want 300 ms", d)
	}
	got := o.within(200*ms, 1000*ms)
	want := []Outage{{0, 100 * time.Millisecond}, {400 * time.Millisecond, 800 * time.Millisecond}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("outages %v, want %v", got, want)
	}
	if got := o.within(450*ms, 620*ms); got != nil {
		t.Errorf("outages %v where there is none", got)
	}
}
