package nethttp

import (
	"context"
	"crypto/tls"
	"sync"
)

// guests are the connections that functions of TLSNextProto serve.
type guests struct {
	mu   sync.Mutex
	open map[*tls.Conn]bool
	gone chan struct{} // closed when the last is removed; nil if there is none
	over bool          // no further one may come
}

// add reports false if no further one may come: one that the native server has given away may come behind a Shutdown.
func (g *guests) add(nc *tls.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return false
	}
	if len(g.open) == 0 {
		g.open, g.gone = map[*tls.Conn]bool{}, make(chan struct{})
	}
	g.open[nc] = true
	return true
}

func (g *guests) remove(nc *tls.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, nc)
	if len(g.open) == 0 {
		close(g.gone)
		g.gone = nil
	}
}

// wait waits until there is none, and no further one may come, or until ctx ends.
func (g *guests) wait(ctx context.Context) error {
	for {
		g.mu.Lock()
		gone := g.gone
		g.over = g.over || gone == nil
		g.mu.Unlock()
		if gone == nil {
			return nil
		}
		select {
		case <-gone:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// end breaks all of them off. With last no further one may come.
func (g *guests) end(last bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over = g.over || last
	for nc := range g.open {
		nc.NetConn().Close() // no word of TLS: that may wait for the peer
	}
}
