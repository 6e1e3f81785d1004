package nethttp

import (
	"context"
	"crypto/tls"
	"sync"
)

// nextProtoConns is the set of connections that functions in TLSNextProto are serving.
type nextProtoConns struct {
	mu     sync.Mutex
	open   map[*tls.Conn]bool
	none   chan struct{} // closed when the last connection is removed; nil if there is none
	closed bool          // no connection may be added any more
}

// add adds nc and returns true, or returns false if no connection may be added any more: the native server may hand a
// connection over after Shutdown.
func (c *nextProtoConns) add(nc *tls.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	if len(c.open) == 0 {
		c.open, c.none = map[*tls.Conn]bool{}, make(chan struct{})
	}
	c.open[nc] = true
	return true
}

func (c *nextProtoConns) remove(nc *tls.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, nc)
	if len(c.open) == 0 {
		close(c.none)
		c.none = nil
	}
}

// wait waits until there are no connections, and then allows no more, or until ctx is done.
func (c *nextProtoConns) wait(ctx context.Context) error {
	for {
		c.mu.Lock()
		none := c.none
		c.closed = c.closed || none == nil
		c.mu.Unlock()
		if none == nil {
			return nil
		}
		select {
		case <-none:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// closeAll closes all connections. If last is true, no connection may be added any more.
func (c *nextProtoConns) closeAll(last bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = c.closed || last
	for nc := range c.open {
		nc.NetConn().Close() // without TLS's close_notify, which may wait for the peer
	}
}
