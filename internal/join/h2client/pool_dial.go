package h2client

import "context"

// dialLocked opens a connection on a new goroutine.
func (p *Pool) dialLocked(ctx context.Context, key Key, host *hostPool) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	d := &pendingDial{done: make(chan struct{}), cancel: cancel}
	host.dialing = d
	go func() {
		defer cancel()
		c, err := p.Dial(ctx, key)
		p.mu.Lock()
		d.conn, d.err = c, err
		if host.dialing == d {
			host.dialing = nil
		}
		closed := p.closed
		if c != nil {
			p.addLocked(key, c)
		}
		p.dropLocked(key)
		p.mu.Unlock()
		close(d.done)
		if c != nil {
			p.added(c, closed)
		}
	}()
}

// await waits for a dial. It cancels the dial if ctx ends and no other request waits for it.
func (p *Pool) await(ctx context.Context, key Key, d *pendingDial) error {
	select {
	case <-d.done:
		return d.err
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if d.waiters--; d.waiters == 0 {
		d.cancel()
		if host := p.hosts[key]; host != nil && host.dialing == d {
			host.dialing = nil
		}
	}
	return context.Cause(ctx)
}
