package httpclient

import (
	"context"
	"sync"
)

// Warm opens connections to a host until there are n idle ones, or one of HTTP/2 or HTTP/3. It opens fewer where the limits allow
// only fewer. It returns the first error.
func (cl *Client) Warm(ctx context.Context, key Key, n int) error {
	switch {
	case cl.closed.Load():
		return ErrClosed
	case cl.unfit != nil:
		return cl.unfit
	}
	cl.clearNoIdle()
	if key.Version == HTTP3 {
		at, err := cl.knownHTTP3(&key)
		if err != nil {
			return err
		}
		return cl.http3.Dial(ctx, at)
	}
	for range maxBeginTries {
		hp := cl.hostPool(key)
		var err error
		if hp.version.Load() == 2 {
			err = cl.h2.Warm(ctx, key.h2())
		} else if err = hp.warm(ctx, n); err == nil && hp.version.Load() == 2 {
			continue // the connection is in the HTTP/2 pool, which is told that it is warm
		}
		if err != errLookAgain {
			return err
		}
	}
	return errNoUse
}

// warm opens connections of HTTP/1.1 until there are n idle ones. It fails with errLookAgain if the pool was pruned.
func (hp *hostPool) warm(ctx context.Context, n int) error {
	cl := hp.cl
	var turn chan struct{} // two calls under one limit, each with some of the connections, would wait for each other
	if most := cl.cfg.MaxConnsPerHost; most > 0 {
		n, turn = min(n, most), hp.warming
	}
	if most := cl.cfg.MaxConns; most > 0 {
		n, turn = min(n, most), cl.warming
	}
	if turn != nil {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	conns, errs := make([]*conn, n), make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { conns[i], errs[i] = hp.getFresh(ctx) })
	}
	wg.Wait()
	var first error
	for i, c := range conns {
		if c != nil {
			hp.put(c)
		}
		if first == nil {
			first = errs[i]
		}
	}
	return first
}

// getFresh is get, and closes idle connections on which no request could begin.
func (hp *hostPool) getFresh(ctx context.Context) (*conn, error) {
	for {
		c, _, err := hp.get(ctx, nil)
		if c == nil || !c.Look || c.Fresh() {
			return c, err
		}
		hp.closeConn(c)
	}
}
