package client

import (
	"context"
	"errors"
	"sync"

	"github.com/shockwave-go/shockwave/http3/internal/clientconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// pool holds the connections of a client. open opens one.
//
//	request ─► hosts: the connection that takes requests ─► reserve
//	          └► dials: one that is being opened, for which several requests may wait
type pool struct {
	open func(ctx context.Context, o carrier.Origin) (*clientconn.Conn, error)

	mu      sync.Mutex
	closed  bool
	hosts   map[carrier.Origin]*clientconn.Conn // those that take requests
	dials   map[carrier.Origin]*dial
	all     map[*clientconn.Conn]struct{}
	running sync.WaitGroup // connections and dials
}

// dial is a connection that is being opened.
type dial struct {
	to      carrier.Origin
	waiting int // requests; guarded by pool.mu
	cancel  context.CancelCauseFunc
	done    chan struct{} // closed when conn or err is set
	conn    *clientconn.Conn
	err     error
}

var (
	errTransportClosed = errors.New("http3: the Transport is closed")
	errNoUse           = errors.New("http3: the server closes its connections before they carry a request")
)

// maxConnTries is how many connections a request tries if they end before it begins.
const maxConnTries = 3

// reserve returns a connection on which r is reserved. reused reports whether there was one before.
func (p *pool) reserve(ctx context.Context, o carrier.Origin, r *carrier.ClientRequest) (k *clientconn.Conn, reused bool, err error) {
	for range maxConnTries {
		d, k, err := p.find(ctx, o)
		if err != nil {
			return nil, false, err
		}
		if k == nil {
			wait, cancel := clientconn.Bound(ctx, r)
			err := p.await(wait, d)
			cancel()
			if err != nil {
				return nil, false, err
			}
			k = d.conn
		}
		if reused, ok := k.Reserve(); ok {
			return k, reused, nil
		}
		p.remove(k)
	}
	return nil, false, errNoUse
}

// dial opens a connection to o unless there is one.
func (p *pool) dial(ctx context.Context, o carrier.Origin) error {
	d, k, err := p.find(ctx, o)
	if k != nil || err != nil {
		return err
	}
	return p.await(ctx, d)
}

// await waits for a dial, which goes on while a request waits for it.
func (p *pool) await(ctx context.Context, d *dial) error {
	select {
	case <-d.done:
		return d.err
	case <-ctx.Done():
		p.leave(d)
		return context.Cause(ctx)
	}
}

// isReady reports whether there is a connection to o that takes requests.
func (p *pool) isReady(o carrier.Origin) bool {
	p.mu.Lock()
	k := p.hosts[o]
	p.mu.Unlock()
	return k != nil && k.Usable()
}

// find returns the connection to o, or the dial of one.
func (p *pool) find(ctx context.Context, o carrier.Origin) (*dial, *clientconn.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, errTransportClosed
	}
	if k := p.hosts[o]; k != nil && k.Usable() {
		return nil, k, nil
	}
	d := p.dials[o]
	if d == nil {
		d = &dial{to: o, done: make(chan struct{})}
		ctx, d.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
		if p.hosts == nil {
			p.hosts, p.dials, p.all = map[carrier.Origin]*clientconn.Conn{}, map[carrier.Origin]*dial{}, map[*clientconn.Conn]struct{}{}
		}
		p.dials[o] = d
		p.running.Go(func() { p.run(ctx, d) })
	}
	d.waiting++
	return d, nil, nil
}

// run opens the connection of d.
func (p *pool) run(ctx context.Context, d *dial) {
	defer d.cancel(nil)
	k, err := p.open(ctx, d.to)
	p.mu.Lock()
	unwanted := d.waiting == 0 || p.closed
	if p.dials[d.to] == d {
		delete(p.dials, d.to)
	}
	if k != nil {
		p.all[k] = struct{}{}
		p.running.Go(k.Run)
		if !unwanted {
			p.hosts[d.to] = k
		}
	}
	d.conn, d.err = k, err
	p.mu.Unlock()
	close(d.done)
	if k != nil && unwanted {
		k.End(errTransportClosed)
	}
}

// leave records that a request no longer waits for d.
func (p *pool) leave(d *dial) {
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

// remove makes k refuse further requests.
func (p *pool) remove(k *clientconn.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts[k.To] == k {
		delete(p.hosts, k.To)
	}
}

// forget removes a connection that has ended.
func (p *pool) forget(k *clientconn.Conn) {
	p.remove(k)
	p.mu.Lock()
	delete(p.all, k)
	p.mu.Unlock()
}

// list returns all connections.
func (p *pool) list() (all []*clientconn.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k := range p.all {
		all = append(all, k)
	}
	return all
}

// closeIdle ends the connections without requests.
func (p *pool) closeIdle() {
	var all sync.WaitGroup
	for _, k := range p.list() {
		all.Go(k.CloseIfIdle)
	}
	all.Wait()
}

// close refuses further requests and ends all dials and connections. It returns when the sockets are closed.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	for _, d := range p.dials {
		d.cancel(errTransportClosed)
	}
	p.mu.Unlock()
	for _, k := range p.list() {
		k.End(errTransportClosed)
	}
	p.running.Wait()
}
