package dial

import (
	"context"
	"net"
	"time"
)

// lookup is a query to the resolver. All dials that need its answer share it.
type lookup struct {
	done    chan struct{}
	answer  *answer // set before done is closed
	err     error
	waiters int                // dials that wait for it; guarded by the Dialer's mu
	cancel  context.CancelFunc // cancels the query when no dial waits any more
}

// answer returns the answer for a name, from memory or from the resolver.
func (d *Dialer) answer(ctx context.Context, host string) (*answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, lookupError(host, err)
	}
	d.mu.Lock()
	if a := d.answers[host]; a != nil && time.Now().Before(a.refreshAt) {
		d.mu.Unlock()
		return a, nil
	}
	l := d.lookups[host]
	if l == nil {
		l = d.startLookupLocked(ctx, host)
	}
	l.waiters++
	d.mu.Unlock()
	select {
	case <-l.done:
		return l.answer, l.err
	case <-ctx.Done():
		d.stopWaiting(host, l)
		return nil, lookupError(host, ctx.Err())
	}
}

// startLookupLocked starts a look-up on a goroutine of its own.
func (d *Dialer) startLookupLocked(ctx context.Context, host string) *lookup {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &lookup{done: make(chan struct{}), cancel: cancel}
	if d.lookups == nil {
		d.lookups = map[string]*lookup{}
	}
	d.lookups[host] = l
	go func() {
		defer cancel()
		found, err := d.resolver().LookupIPAddr(ctx, host)
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.lookups[host] != l {
			return // no dial waits for it
		}
		delete(d.lookups, host)
		l.answer, l.err = d.updateLocked(host, found, err)
		close(l.done)
	}()
	return l
}

// stopWaiting is called by a dial that gives up waiting for l.
func (d *Dialer) stopWaiting(host string, l *lookup) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l.waiters--; l.waiters > 0 || d.lookups[host] != l {
		return
	}
	delete(d.lookups, host)
	l.cancel()
}

// resolver returns Resolver, or its default.
func (d *Dialer) resolver() Resolver {
	if d.Resolver != nil {
		return d.Resolver
	}
	return net.DefaultResolver
}

// lookupError returns the error of a look-up that a context has ended, as package net does.
func lookupError(host string, err error) error {
	return &net.DNSError{UnwrapErr: err, Err: err.Error(), Name: host, IsTimeout: err == context.DeadlineExceeded}
}
