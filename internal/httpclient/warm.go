package httpclient

import (
	"context"
	"sync"
)

// Warm has n idle connections to a place, or one of HTTP/2; fewer where fewer may be open. It returns the first error.
func (cl *Client) Warm(ctx context.Context, key Key, n int) error {
	if cl.closed.Load() {
		return ErrClosed
	}
	cl.keepIdle()
	pl := cl.place(key)
	defer pl.release()
	if pl.speaks.Load() == 2 {
		if err := cl.h2.Warm(ctx, key.h2()); err != errLook {
			return err
		}
	}
	if pl.speaks.Load() == 2 {
		return nil
	}
	for _, most := range []int{cl.cfg.MaxConnsPerHost, cl.cfg.MaxConns} {
		if most > 0 {
			n = min(n, most)
		}
	}
	conns, errs := make([]*conn, n), make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { conns[i], _, errs[i] = pl.get(ctx, nil) })
	}
	wg.Wait()
	var first error
	for i, c := range conns {
		if c != nil {
			pl.put(c)
		}
		if first == nil {
			first = errs[i]
		}
	}
	return first
}
