package dial

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"time"
)

// attemptDelay is how long an attempt runs before the next one is started in parallel (RFC 8305 §5).
const attemptDelay = 250 * time.Millisecond

// race is one dial: it attempts to connect to the addresses of a name, and the first connection wins. Its fields belong to
// the goroutine that calls run. Each attempt has a goroutine of its own, which only uses its address and results.
type race struct {
	dialer     *Dialer
	answer     *answer
	addr, port string       // the address to dial, and its port
	untried    []netip.Addr // addresses that have not been tried yet
	running    []attempt
	failed     []attempt
	results    chan attempt
}

// attempt is an attempt to connect to one address, and its result.
type attempt struct {
	ip    netip.Addr
	begun time.Time
	nc    net.Conn
	err   error
}

// run tries the addresses in untried, of which there is at least one.
func (r *race) run(ctx context.Context) (net.Conn, error) {
	if len(r.untried) == 1 {
		return r.dialer.connect(ctx, "tcp", r.hostPort(r.untried[0]))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // cancels the other attempts
	r.results = make(chan attempt)
	r.start(ctx)
	timer := time.NewTimer(attemptDelay)
	defer timer.Stop()
	for {
		select {
		case a := <-r.results:
			if a.err == nil {
				r.attemptWon(a)
				return a.nc, nil
			}
			if err := ended(ctx); err != nil {
				return nil, r.newError(err)
			}
			if r.attemptFailed(a); len(r.running)+len(r.untried) == 0 {
				return nil, r.newError(nil)
			}
		case <-timer.C:
		case <-ctx.Done():
			return nil, r.newError(ctx.Err())
		}
		if r.start(ctx) {
			timer.Reset(attemptDelay)
		}
	}
}

// ended returns why the dial has ended, nil if it has not. It looks at the deadline as well, since package net may fail at
// the deadline a moment before ctx is done.
func ended(ctx context.Context) error {
	if by, ok := ctx.Deadline(); ok && !time.Now().Before(by) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// hostPort returns ip with the port of the race.
func (r *race) hostPort(ip netip.Addr) string { return net.JoinHostPort(ip.String(), r.port) }

// start starts the next attempt and reports whether there was one.
func (r *race) start(ctx context.Context) bool {
	if len(r.untried) == 0 {
		return false
	}
	a := attempt{ip: r.untried[0], begun: time.Now()}
	r.untried = r.untried[1:]
	r.running = append(r.running, a)
	go func() {
		a.nc, a.err = r.dialer.connect(ctx, "tcp", r.hostPort(a.ip))
		select {
		case r.results <- a:
		case <-ctx.Done():
			if a.err == nil { // another attempt has won, or the dial has ended
				a.nc.Close()
			}
		}
	}()
	return true
}

// attemptFailed records that a has failed.
func (r *race) attemptFailed(a attempt) {
	r.failed = append(r.failed, a)
	r.remove(a)
	r.dialer.demote(r.answer, a.ip)
}

// attemptWon records that a has connected. It demotes the addresses of attempts that had enough time to connect before.
func (r *race) attemptWon(a attempt) {
	r.remove(a)
	r.dialer.promote(r.answer, a.ip)
	for _, other := range r.running {
		if time.Since(other.begun) >= attemptDelay {
			r.dialer.demote(r.answer, other.ip)
		}
	}
}

// remove removes a from the running attempts.
func (r *race) remove(a attempt) {
	r.running = slices.DeleteFunc(r.running, func(b attempt) bool { return a.ip == b.ip })
}
