package httpclient

import (
	"sync"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/facelink"
)

// Client sends requests over connections that it keeps. All methods may be called concurrently.
type Client struct {
	pools   pools
	http3   *http3    // nil if HTTP/3 is not spoken
	unfit   error     // why no request can be sent: the configuration is wrong
	streams sync.Pool // of *stream
	shares  bool      // the engine belongs to another Client
}

// New returns a Client without connections.
func New(cfg Config) *Client {
	cl := new(Client)
	cl.pools.init(cfg)
	cl.pools.engine = netconn.New(cl.pools.cfg.Engine)
	if cfg.HTTP3 != nil {
		var c carrier.Client
		if c, cl.unfit = facelink.Client(cfg.HTTP3, cfg.Carrier); cl.unfit == nil {
			cl.http3 = newHTTP3(c)
		}
	}
	return cl
}

// poolFor returns the pool for k, as pools.find does. Most calls find the one that they used last, without a lookup.
func (cl *Client) poolFor(k *Call) *hostPool {
	if hp := k.pool; hp == nil || hp.all != &cl.pools || hp.key != k.Key {
		k.pool = cl.pools.find(k.Key)
	}
	return k.pool
}

// CloseIdle closes the connections that have no requests. A connection of HTTP/1.1 that is in use is closed, too, if it
// becomes idle before another request begins.
func (cl *Client) CloseIdle() {
	cl.pools.closeIdle()
	if cl.http3 != nil {
		cl.http3.CloseIdle()
	}
}

// Close closes all connections. Requests that are under way fail, and no more begin.
func (cl *Client) Close() error {
	if !cl.pools.close() {
		return nil
	}
	if cl.http3 != nil {
		cl.http3.Close()
	}
	if cl.shares {
		return nil
	}
	return cl.pools.engine.Close()
}
