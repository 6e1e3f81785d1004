package http3

import (
	"context"
	"sync"
)

// clientPool holds the connections of a Transport. The zero value is ready for use.
//
//	request ─► hosts: the connection that takes requests ─► reserve
//	          └► dials: one that is being opened, for which several requests may wait
type clientPool struct {
	mu      sync.Mutex
	closed  bool
	hosts   map[string]*clientConn // by host:port, those that take requests
	dials   map[string]*clientDial
	all     map[*clientConn]struct{}
	running sync.WaitGroup // connections and dials
}

// clientDial is a connection that is being opened.
type clientDial struct {
	addr    string
	waiting int // requests; guarded by clientPool.mu
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed when conn or err is set
	conn    *clientConn
	err     error
}

// maxConnTries is how many connections a request tries that end before it begins.
const maxConnTries = 3

// conn returns a connection on which a request is reserved. reused reports whether there was one before. A dial goes on while a
// request waits for it.
func (t *Transport) conn(ctx context.Context, addr string) (k *clientConn, reused bool, err error) {
	p := &t.pool
	for range maxConnTries {
		d, k, err := t.find(ctx, addr)
		if err != nil {
			return nil, false, err
		}
		if k == nil {
			select {
			case <-d.done:
			case <-ctx.Done():
				p.leave(d)
				return nil, false, context.Cause(ctx)
			}
			if d.err != nil {
				return nil, false, d.err
			}
			k = d.conn
		}
		if reused, ok := k.reserve(); ok {
			return k, reused, nil
		}
		p.remove(k)
	}
	return nil, false, errNoUse
}

// find returns the connection for addr, or the dial of one.
func (t *Transport) find(ctx context.Context, addr string) (*clientDial, *clientConn, error) {
	p := &t.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, errTransportClosed
	}
	if k := p.hosts[addr]; k != nil {
		return nil, k, nil
	}
	d := p.dials[addr]
	if d == nil {
		d = &clientDial{addr: addr, done: make(chan struct{})}
		ctx, d.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
		if p.hosts == nil {
			p.hosts, p.dials, p.all = map[string]*clientConn{}, map[string]*clientDial{}, map[*clientConn]struct{}{}
		}
		p.dials[addr] = d
		p.running.Go(func() { t.runDial(ctx, d) })
	}
	d.waiting++
	return d, nil, nil
}

// runDial opens the connection of d.
func (t *Transport) runDial(ctx context.Context, d *clientDial) {
	defer d.cancel(nil)
	k, err := t.dial(ctx, d.addr)
	p := &t.pool
	p.mu.Lock()
	unwanted := d.waiting == 0 || p.closed
	if p.dials[d.addr] == d {
		delete(p.dials, d.addr)
	}
	if k != nil {
		p.all[k] = struct{}{}
		p.running.Go(k.run)
		if !unwanted {
			p.hosts[d.addr] = k
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
	if p.dials[d.addr] == d {
		delete(p.dials, d.addr)
	}
}

// remove has k take no more requests.
func (p *clientPool) remove(k *clientConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts[k.addr] == k {
		delete(p.hosts, k.addr)
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
