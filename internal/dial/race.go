package dial

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"time"
)

// attemptDelay is how long an attempt has before the next one starts beside it (RFC 8305 §5).
const attemptDelay = 250 * time.Millisecond

// race is one dial: attempts at the addresses of a name, the first of which that connects wins. All of it is the dialling
// goroutine's; the attempts have one each, and know only their address and results.
type race struct {
	dialer     *Dialer
	answer     *answer
	addr, port string       // what was asked for, and its port
	waiting    []netip.Addr // not tried yet
	running    []attempt
	failed     []attempt
	results    chan attempt
}

// attempt is one at a single address, and then what came of it.
type attempt struct {
	ip    netip.Addr
	begun time.Time
	nc    net.Conn
	err   error
}

// run tries the addresses that wait, of which there is one at least.
func (r *race) run(ctx context.Context) (net.Conn, error) {
	if len(r.waiting) == 1 {
		return r.dialer.connect(ctx, "tcp", r.hostPort(r.waiting[0]))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the losers
	r.results = make(chan attempt)
	r.start(ctx)
	timer := time.NewTimer(attemptDelay)
	defer timer.Stop()
	for {
		select {
		case a := <-r.results:
			if a.err == nil {
				r.won(a)
				return a.nc, nil
			}
			if err := over(ctx); err != nil {
				return nil, r.fail(err)
			}
			if r.lost(a); len(r.running)+len(r.waiting) == 0 {
				return nil, r.fail(nil)
			}
		case <-timer.C:
		case <-ctx.Done():
			return nil, r.fail(ctx.Err())
		}
		if r.start(ctx) {
			timer.Reset(attemptDelay)
		}
	}
}

// over returns why a dial is over, nil if it is not. A deadline may pass a moment before its context notices, and package
// net looks at the deadline.
func over(ctx context.Context) error {
	if by, ok := ctx.Deadline(); ok && !time.Now().Before(by) {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

// hostPort returns where ip is connected to.
func (r *race) hostPort(ip netip.Addr) string { return net.JoinHostPort(ip.String(), r.port) }

// start begins the next attempt, if there is one.
func (r *race) start(ctx context.Context) bool {
	if len(r.waiting) == 0 {
		return false
	}
	a := attempt{ip: r.waiting[0], begun: time.Now()}
	r.waiting = r.waiting[1:]
	r.running = append(r.running, a)
	go func() {
		a.nc, a.err = r.dialer.connect(ctx, "tcp", r.hostPort(a.ip))
		select {
		case r.results <- a:
		case <-ctx.Done():
			if a.err == nil { // another one was faster, or nobody waits
				a.nc.Close()
			}
		}
	}()
	return true
}

// lost notes that a has failed.
func (r *race) lost(a attempt) {
	r.failed = append(r.failed, a)
	r.stop(a)
	r.dialer.shun(r.answer, a.ip)
}

// won notes that a has connected, before others that had time enough to.
func (r *race) won(a attempt) {
	r.stop(a)
	r.dialer.trust(r.answer, a.ip)
	for _, other := range r.running {
		if time.Since(other.begun) >= attemptDelay {
			r.dialer.shun(r.answer, other.ip)
		}
	}
}

// stop takes a off the attempts that run.
func (r *race) stop(a attempt) {
	r.running = slices.DeleteFunc(r.running, func(b attempt) bool { return a.ip == b.ip })
}
