package httpclient

import (
	"context"
	"sync"
)

// warm opens connections of HTTP/1.1 until there are n idle ones. It fails with errLookAgain if the pool was pruned.
func (hp *hostPool) warm(ctx context.Context, n int) error {
	ps := hp.all
	var turn chan struct{} // two calls under one limit, each with some of the connections, would wait for each other
	if most := ps.cfg.MaxConnsPerHost; most > 0 {
		n, turn = min(n, most), hp.warming
	}
	if most := ps.cfg.MaxConns; most > 0 {
		n, turn = min(n, most), ps.warming
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
		c, _, err := hp.get(ctx, wish{})
		if c == nil || !c.Look || c.Fresh() {
			return c, err
		}
		hp.closeConn(c)
	}
}
