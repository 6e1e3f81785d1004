package h2client

import (
	"context"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// Start begins a request on a connection for key. It opens a connection if there is none with room. waits, unless nil, is
// called when the request has to wait; it returns a context derived from ctx, which bounds the wait.
func (p *Pool) Start(ctx context.Context, key Key, x *Exchange, head carrier.Section, sends bool, waits func(context.Context) context.Context) error {
	bounded := false
	for opened, refused := 0, 0; ; {
		c, wait, pending := p.find(ctx, key, opened < maxDials)
		if (c == nil || wait) && !bounded {
			var cancel context.CancelFunc
			ctx, cancel = p.bound(ctx, waits)
			defer cancel()
			bounded = true
		}
		if c == nil {
			if pending == nil {
				return ErrClosed
			}
			if err := p.await(ctx, key, pending); err != nil {
				return err
			}
			opened++
			if c = pending.conn; !c.Usable() { // it ended before it could be used
				if refused++; refused > maxRefused {
					return c.reason(http2.ErrGoingAway)
				}
			}
			continue
		}
		begun, err := c.Start(x, head, sends, wait, ctx.Done())
		switch {
		case begun:
			return nil
		case err == nil:
			return context.Cause(ctx)
		case !Unprocessed(err):
			return err
		case err != ErrFull:
			if refused++; refused > maxRefused {
				return c.reason(err)
			}
		}
	}
}

// bound returns the context for a wait; waits may be nil.
func (p *Pool) bound(ctx context.Context, waits func(context.Context) context.Context) (context.Context, context.CancelFunc) {
	if waits != nil {
		ctx = waits(ctx)
	}
	if p.WaitTimeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, p.WaitTimeout, ErrWaitTimeout)
}

// find returns a connection with room; or with wait set, a connection to wait for; or a dial to wait for. With more it
// prefers opening another connection to waiting for room, as far as the pool's limits allow.
func (p *Pool) find(ctx context.Context, key Key, more bool) (c *Conn, wait bool, pending *pendingDial) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false, nil
	}
	host := p.hostLocked(key)
	var usable *Conn
	for _, c := range host.conns {
		if !c.Usable() {
			continue
		}
		if c.hasRoom() {
			return c, false, nil
		}
		if usable == nil || c.waiting() < usable.waiting() {
			usable = c
		}
	}
	if usable != nil && (!more || p.Strict || p.MaxConns > 0 && len(host.conns) >= p.MaxConns) {
		return usable, true, nil
	}
	if host.dialing == nil {
		p.dialLocked(ctx, key, host)
	}
	host.dialing.waiters++
	return nil, false, host.dialing
}

// Warm opens a connection for key if there is none.
func (p *Pool) Warm(ctx context.Context, key Key) error {
	c, _, pending := p.find(ctx, key, false)
	if pending != nil {
		if err := p.await(ctx, key, pending); err != nil {
			return err
		}
		c = pending.conn
	}
	if c == nil {
		return ErrClosed
	}
	c.warm.Store(true)
	return nil
}

// ErrWaitTimeout is returned by Start after Pool.WaitTimeout.
var ErrWaitTimeout error = timeoutError("http: timeout waiting for a connection")

const (
	maxDials   = 3 // connections that a request opens and finds full; then it waits for room on one
	maxRefused = 3 // connections that end before the request begins on them
)
