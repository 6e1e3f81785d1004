package httpclient

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/h1client"
	"github.com/shockwave-go/shockwave/internal/join/h2client"
)

// Config is the configuration of a Client. A zero number or duration means no limit.
type Config struct {
	// Open opens a connection for key. It must return when ctx is done. ctx has the values of the request that waited
	// first, but not its cancellation: it is done when the Client is closed.
	Open func(ctx context.Context, key Key) (Opened, error)

	MaxConnsPerHost int           // to one host; further requests wait
	MaxConns        int           // in all; a host that has a connection of HTTP/2 gets further ones without regard to it
	MaxIdlePerHost  int           // of HTTP/1.1, to one host
	MaxIdle         int           // of HTTP/1.1, in all; beyond it the connection that has been idle longest is closed
	IdleTimeout     time.Duration // after which an idle connection is closed
	MaxLifetime     time.Duration // after which a connection takes no more requests
	WaitTimeout     time.Duration // for a connection, including the time to open one
	KeepNone        bool          // no connection is reused

	HTTP1   h1client.Config
	HTTP2   h2client.Config      // IdleTimeout is set from the one above
	HTTP3   any                  // a carrier.ClientMaker, an *http3.Transport; nil: HTTP/3 is not spoken
	Carrier carrier.ClientConfig // for HTTP3
	Strict  bool                 // requests wait for room on a connection of HTTP/2 instead of opening another one
	Engine  netconn.Config       // its timeouts and rates are ignored
}

// Opened is a connection that Open has opened. The Client owns Conn from then on.
type Opened struct {
	Conn     net.Conn
	Buffered []byte               // bytes that have been read from Conn already
	TLS      *tls.ConnectionState // nil without TLS
	HTTP2    bool                 // the server has chosen HTTP/2, or its support was known before
	ToProxy  bool                 // the connection ends at a proxy, to which targets are sent in absolute-form
}

// Client sends requests over connections that it keeps. All methods may be called concurrently.
type Client struct {
	cfg      Config
	engine   *netconn.Engine
	h2       h2client.Pool
	http3    *http3       // nil if HTTP/3 is not spoken
	unfit    error        // why no request can be sent: the configuration is wrong
	opened   atomic.Int64 // connections, including those being opened
	idle     atomic.Int64 // idle connections of HTTP/1.1
	closed   atomic.Bool
	life     context.Context    // until Close
	end      context.CancelFunc // cancels life
	sweepDue atomic.Bool        // sweep is going to run
	noIdle   atomic.Bool        // CloseIdle was called, and no request has begun since: keep no idle connections
	shares   bool               // engine belongs to another Client
	stats    counters

	streams       sync.Pool
	lastIdleSince atomic.Int64 // what idleSince returned last

	mu    sync.RWMutex
	pools map[Key]*hostPool

	warming chan struct{} // has room for one token, which Warm holds while it gathers connections under MaxConns

	blockedMu sync.Mutex
	blocked   []*hostPool // pools that MaxConns keeps from opening a connection, the one that has waited longest first
}

// New returns a Client without connections.
func New(cfg Config) *Client {
	// This package closes idle connections and bounds the time of requests itself.
	cfg.Engine.IdleTimeout, cfg.Engine.MessageTimeout, cfg.Engine.MinReadRate = -1, -1, -1
	cfg.HTTP2.IdleTimeout = cfg.IdleTimeout
	cfg.HTTP2.Wire = *cfg.HTTP2.Wire.Complete()
	cl := &Client{cfg: cfg, pools: map[Key]*hostPool{}, warming: make(chan struct{}, 1)}
	cl.life, cl.end = context.WithCancel(context.Background())
	if cfg.MaxConns > 0 {
		cl.cfg.HTTP2.Idle = cl.idleH2
	}
	cl.engine = netconn.New(cfg.Engine)
	if cfg.HTTP3 != nil {
		maker, ok := cfg.HTTP3.(carrier.ClientMaker)
		if ok {
			cl.http3 = newHTTP3(maker.NewCarrier(cfg.Carrier))
		} else {
			cl.unfit = fmt.Errorf("http: HTTP3 is a %T; only an *http3.Transport speaks HTTP/3", cfg.HTTP3)
		}
	}
	cl.h2.Dial = cl.openH2
	cl.h2.MaxConns, cl.h2.Strict, cl.h2.WaitTimeout = cfg.MaxConnsPerHost, cfg.Strict, cfg.WaitTimeout
	return cl
}

// h2 returns k as the key of the HTTP/2 pool.
func (k Key) h2() h2client.Key {
	return h2client.Key{Secure: k.Secure, Host: k.Host, Via: k.Via, Only: k.Version == HTTP2}
}

// poolFor returns the pool for k, as hostPool does. Most calls find the one that they used last, without a lookup.
func (cl *Client) poolFor(k *Call) *hostPool {
	if hp := k.pool; hp == nil || hp.cl != cl || hp.key != k.Key {
		k.pool = cl.hostPool(k.Key)
	}
	return k.pool
}

// hostPool returns the pool for key, and makes one if there is none. The pool may have been pruned by the time it is used;
// see prunePools.
func (cl *Client) hostPool(key Key) *hostPool {
	cl.mu.RLock()
	hp := cl.pools[key]
	cl.mu.RUnlock()
	if hp != nil {
		return hp
	}
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if hp = cl.pools[key]; hp == nil {
		if n := len(cl.pools); n >= manyPools && n&(n-1) == 0 {
			cl.prunePools()
		}
		key.Host, key.Via = strings.Clone(key.Host), strings.Clone(key.Via)
		hp = &hostPool{cl: cl, key: key, warming: make(chan struct{}, 1)}
		if key.Version == HTTP2 {
			hp.version.Store(2)
		}
		cl.pools[key] = hp
	}
	return hp
}

// manyPools is how many pools there must be before empty ones are pruned.
const manyPools = 1 << 10

// prunePools removes the pools that are empty. The caller must hold mu.
//
// A call may have found a pool before. If it needs a connection of HTTP/1.1 it is told to look again, since a pruned pool
// takes no waiters, and keeps no connections. For a request over HTTP/2 it uses only the pool's key; but whether a further
// connection of HTTP/2 may be opened is asked of the pool that is in the map then (see openH2), and that one stays because
// Knows includes connections that are being opened.
func (cl *Client) prunePools() {
	for key, hp := range cl.pools {
		if !hp.mu.TryLock() {
			continue // it is in use
		}
		if hp.open == 0 && len(hp.waiting) == 0 && !cl.h2.Knows(key.h2()) {
			hp.pruned = true
			delete(cl.pools, key)
		}
		hp.mu.Unlock()
	}
}

// all returns a snapshot of the pools.
func (cl *Client) all() []*hostPool {
	cl.mu.RLock()
	defer cl.mu.RUnlock()
	all := make([]*hostPool, 0, len(cl.pools))
	for _, hp := range cl.pools {
		all = append(all, hp)
	}
	return all
}

// openFor opens a connection for hp, of HTTP/1.1 or of HTTP/2.
func (cl *Client) openFor(ctx context.Context, hp *hostPool) (*conn, *h2client.Conn, error) {
	o, err := cl.open(ctx, hp.key)
	if err != nil {
		return nil, nil, err
	}
	cl.stats.opened.Add(1)
	if cl.closed.Load() {
		o.Conn.Close()
		return nil, nil, ErrClosed
	}
	if o.HTTP2 {
		c, err := h2client.New(cl.engine, o.Conn, o.Buffered, &cl.cfg.HTTP2, o.TLS, cl.h2Ended)
		return nil, c, err
	}
	c, err := hp.newConn(&o, nil)
	return c, nil, err
}

// open calls Config.Open. The call is cancelled when the client is closed.
func (cl *Client) open(ctx context.Context, key Key) (Opened, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(cl.life, cancel)()
	o, err := cl.cfg.Open(ctx, key)
	if err != nil && cl.closed.Load() {
		err = ErrClosed
	}
	return o, err
}

// openH2 opens a connection for the HTTP/2 pool.
func (cl *Client) openH2(ctx context.Context, k h2client.Key) (*h2client.Conn, error) {
	key := Key{Secure: k.Secure, Host: k.Host, Via: k.Via}
	if k.Only {
		key.Version = HTTP2
	}
	hp := cl.hostPool(key)
	if hp.version.Load() != 2 { // it was pruned and made anew, or the server has changed to HTTP/1.1
		return nil, errLookAgain
	}
	if cl.cfg.MaxConns > 0 && !cl.h2.Has(k) {
		hp.closeIdle()
		hp.mu.Lock()
		c, _, err := hp.wait(ctx, nil) // wait until MaxConns allows a connection
		if c != nil {
			hp.put(c)
		}
		if err == nil {
			err = errLookAgain
		}
		return nil, err
	}
	cl.opened.Add(1)
	c, h2, err := cl.openFor(ctx, hp)
	switch {
	case err != nil:
		cl.connEnded()
		return nil, err
	case h2 != nil:
		return h2, nil
	}
	hp.adopt(c)
	return nil, errLookAgain
}

// errLookAgain tells the caller to look for a connection again. The connection that was opened may speak either version, and
// a server that has spoken HTTP/2 before may have chosen HTTP/1.1; or the pool has been pruned.
var errLookAgain = errors.New("http: the connection is elsewhere")

// h2Ended is called when a connection of HTTP/2 takes no more requests.
func (cl *Client) h2Ended(c *h2client.Conn) {
	cl.h2.Gone(c)
	cl.connEnded()
}

// CloseIdle closes the connections that have no requests. A connection of HTTP/1.1 that is in use is closed, too, if it
// becomes idle before another request begins.
func (cl *Client) CloseIdle() {
	cl.noIdle.Store(true)
	for _, hp := range cl.all() {
		hp.closeIdle()
	}
	cl.h2.CloseIdle()
	if cl.http3 != nil {
		cl.http3.CloseIdle()
	}
}

// clearNoIdle ends the effect of CloseIdle. It is called when a request begins.
func (cl *Client) clearNoIdle() {
	if cl.noIdle.Load() {
		cl.noIdle.Store(false)
	}
}

// Close closes all connections. Requests that are under way fail, and no more begin.
func (cl *Client) Close() error {
	if cl.closed.Swap(true) {
		return nil
	}
	cl.end()
	for _, hp := range cl.all() {
		hp.closeIdle()
		hp.mu.Lock()
		for w := hp.popWaiter(); w != nil; w = hp.popWaiter() {
			w.err = ErrClosed
			close(w.ready)
		}
		hp.mu.Unlock()
	}
	cl.h2.Close()
	if cl.http3 != nil {
		cl.http3.Close()
	}
	if cl.shares {
		return nil
	}
	return cl.engine.Close()
}
