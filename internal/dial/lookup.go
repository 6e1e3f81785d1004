package dial

import (
	"context"
	"net"
	"time"
)

// lookup is a question to the resolver, for all dials that need its answer.
type lookup struct {
	done    chan struct{}
	answer  *answer // what came of it, once done is closed
	err     error
	waiting int                // dials; the Dialer's lock guards it
	cancel  context.CancelFunc // ends it when nobody waits any more
}

// answer returns what is known of a name, or asks.
func (d *Dialer) answer(ctx context.Context, host string) (*answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, lookupEnded(host, err)
	}
	d.mu.Lock()
	if a := d.answers[host]; a != nil && time.Now().Before(a.until) {
		d.mu.Unlock()
		return a, nil
	}
	l := d.lookups[host]
	if l == nil {
		l = d.look(ctx, host)
	}
	l.waiting++
	d.mu.Unlock()
	select {
	case <-l.done:
		return l.answer, l.err
	case <-ctx.Done():
		d.leave(host, l)
		return nil, lookupEnded(host, ctx.Err())
	}
}

// look begins a look-up, on a goroutine of its own. The lock is held.
func (d *Dialer) look(ctx context.Context, host string) *lookup {
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
			return // nobody waits
		}
		delete(d.lookups, host)
		l.answer, l.err = d.learn(host, found, err)
		close(l.done)
	}()
	return l
}

// leave takes a dial off those that wait.
func (d *Dialer) leave(host string, l *lookup) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l.waiting--; l.waiting > 0 || d.lookups[host] != l {
		return
	}
	delete(d.lookups, host)
	l.cancel()
}

// resolver is Resolver or its default.
func (d *Dialer) resolver() Resolver {
	if d.Resolver != nil {
		return d.Resolver
	}
	return net.DefaultResolver
}

// lookupEnded is the error of a look-up that a context ended, as package net has it.
func lookupEnded(host string, err error) error {
	return &net.DNSError{UnwrapErr: err, Err: err.Error(), Name: host, IsTimeout: err == context.DeadlineExceeded}
}
