package http3

import (
	"context"
	"sync"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// clientPool holds the connections of a client. The zero value is ready for use.
//
//	request ─► hosts: the connection that takes requests ─► reserve
//	          └► dials: one that is being opened, for which several requests may wait
type clientPool struct {
	mu      sync.Mutex
	closed  bool
	hosts   map[carrier.Origin]*clientConn // those that take requests
	dials   map[carrier.Origin]*clientDial
	all     map[*clientConn]struct{}
	running sync.WaitGroup // connections and dials
}

// clientDial is a connection that is being opened.
type clientDial struct {
	to      carrier.Origin
	waiting int // requests; guarded by clientPool.mu
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed when conn or err is set
	conn    *clientConn
	err     error
}

// maxConnTries is how many connections a request tries that end before it begins.
const maxConnTries = 3

// conn returns a connection on which r is reserved. reused reports whether there was one before.
func (c *client) conn(ctx context.Context, o carrier.Origin, r *carrier.ClientRequest) (k *clientConn, reused bool, err error) {
	for range maxConnTries {
		d, k, err := c.find(ctx, o)
		if err != nil {
			return nil, false, err
		}
		if k == nil {
			wait, cancel := bound(ctx, r)
			err := c.await(wait, d)
			cancel()
			if err != nil {
				return nil, false, err
			}
			k = d.conn
		}
		if reused, ok := k.reserve(); ok {
			return k, reused, nil
		}
		c.pool.remove(k)
	}
	return nil, false, errNoUse
}

// bound returns the context that bounds a wait of r.
func bound(ctx context.Context, r *carrier.ClientRequest) (context.Context, context.CancelFunc) {
	if r.Waits == nil {
		return ctx, func() {}
	}
	return r.Waits(ctx)
}

// await waits for a dial, which goes on while anybody waits for it.
func (c *client) await(ctx context.Context, d *clientDial) error {
	select {
	case <-d.done:
		return d.err
	case <-ctx.Done():
		c.pool.leave(d)
		return context.Cause(ctx)
	}
}

// find returns the connection to o, or the dial of one.
func (c *client) find(ctx context.Context, o carrier.Origin) (*clientDial, *clientConn, error) {
	p := &c.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, errTransportClosed
	}
	if k := p.hosts[o]; k != nil && k.usable() {
		return nil, k, nil
	}
	d := p.dials[o]
	if d == nil {
		d = &clientDial{to: o, done: make(chan struct{})}
		ctx, d.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
		if p.hosts == nil {
			p.hosts, p.dials, p.all = map[carrier.Origin]*clientConn{}, map[carrier.Origin]*clientDial{}, map[*clientConn]struct{}{}
		}
		p.dials[o] = d
		p.running.Go(func() { c.runDial(ctx, d) })
	}
	d.waiting++
	return d, nil, nil
}

// runDial opens the connection of d.
func (c *client) runDial(ctx context.Context, d *clientDial) {
	defer d.cancel(nil)
	k, err := c.dial(ctx, d.to)
	p := &c.pool
	p.mu.Lock()
	unwanted := d.waiting == 0 || p.closed
	if p.dials[d.to] == d {
		delete(p.dials, d.to)
	}
	if k != nil {
		p.all[k] = struct{}{}
		p.running.Go(k.run)
		if !unwanted {
			p.hosts[d.to] = k
		}
	}
	d.conn, d.err = k, err
	p.mu.Unlock()
	close(d.done)
	if k != nil && unwanted {
		k.end(errTransportClosed)
	}
}

// leave notes that a request does not wait for d any more.
func (p *clientPool) leave(d *clientDial) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d.waiting--; d.waiting > 0 {
		return
	}
	d.cancel(context.Canceled)
	if p.dials[d.to] == d {
		delete(p.dials, d.to)
	}
}

// remove has k take no more requests.
func (p *clientPool) remove(k *clientConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts[k.to] == k {
		delete(p.hosts, k.to)
	}
}

// forget takes a connection off that has ended.
func (p *clientPool) forget(k *clientConn) {
	p.remove(k)
	p.mu.Lock()
	delete(p.all, k)
	p.mu.Unlock()
}

// list returns all connections.
func (p *clientPool) list() (all []*clientConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k := range p.all {
		all = append(all, k)
	}
	return all
}

// close refuses further requests and ends all dials.
func (p *clientPool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, d := range p.dials {
		d.cancel(errTransportClosed)
	}
}
