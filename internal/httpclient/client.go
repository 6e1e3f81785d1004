package httpclient

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/h1client"
	"github.com/shockwave-go/shockwave/internal/h2client"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// Config is what a Client goes by. A zero number or time is none.
type Config struct {
	// Open opens a connection for key. It returns when ctx ends, which holds the values of the request that waits first,
	// but not its end: it ends with the Client.
	Open func(ctx context.Context, key Key) (Opened, error)

	MaxConnsPerHost int           // to one place; more requests wait
	MaxConns        int           // in all; those of HTTP/2 beyond the first to a place are not waited with
	MaxIdlePerHost  int           // of HTTP/1.1, to one place
	MaxIdle         int           // of HTTP/1.1, in all: the one that has been idle longest ends
	IdleTimeout     time.Duration // until an idle connection ends
	MaxLifetime     time.Duration // until a connection takes no more requests
	WaitTimeout     time.Duration // for a connection, opening one included
	KeepNone        bool          // no connection is used again

	HTTP1  h1client.Config
	HTTP2  h2client.Config // IdleTimeout is set from the one above
	Strict bool            // requests wait for room on a connection of HTTP/2 instead of having others opened
	Engine netconn.Config  // its times and rates are not used
}

// Opened is a connection that Open has opened. Its end is the Client's from then on.
type Opened struct {
	Conn    net.Conn
	Ahead   []byte               // what has been read from it already
	TLS     *tls.ConnectionState // nil without TLS
	HTTP2   bool                 // the server has chosen it, or prior knowledge
	ToProxy bool                 // it ends at a proxy, which is asked in absolute-form
}

// Client sends requests. All methods may be called concurrently.
type Client struct {
	cfg    Config
	engine *netconn.Engine
	h2     h2client.Pool
	opened atomic.Int64 // connections, with those that are being opened
	idle   atomic.Int64 // connections of HTTP/1.1 that lie idle
	closed atomic.Bool
	life   context.Context    // until Close
	end    context.CancelFunc // ends it
	sweeps atomic.Bool        // a sweep is due
	noIdle atomic.Bool        // since CloseIdle no request has begun: what becomes idle ends
	shares bool               // engine is another Client's
	stats  counters

	streams sync.Pool
	rested  atomic.Int64 // see restingSince

	mu     sync.RWMutex
	places map[Key]*place

	row    sync.Mutex
	hungry []*place // who wait for connections to end, because of MaxConns
}

// New returns a Client without connections.
func New(cfg Config) *Client {
	// Connections with and without requests are looked after here, and the time of requests is bounded.
	cfg.Engine.IdleTimeout, cfg.Engine.MessageTimeout, cfg.Engine.MinReadRate = -1, -1, -1
	cfg.HTTP2.IdleTimeout = cfg.IdleTimeout
	cfg.HTTP2.Wire = *cfg.HTTP2.Wire.Complete()
	cl := &Client{cfg: cfg, places: map[Key]*place{}}
	cl.life, cl.end = context.WithCancel(context.Background())
	if cfg.MaxConns > 0 {
		cl.cfg.HTTP2.Idle = cl.idleH2
	}
	cl.engine = netconn.New(cfg.Engine)
	cl.h2.Dial = cl.openH2
	cl.h2.MaxConns, cl.h2.Strict, cl.h2.WaitTimeout = cfg.MaxConnsPerHost, cfg.Strict, cfg.WaitTimeout
	return cl
}

// h2 is k as the pool of HTTP/2 knows it.
func (k Key) h2() h2client.Key {
	return h2client.Key{Secure: k.Secure, Host: k.Host, Via: k.Via, Only: k.Version == HTTP2}
}

// place returns the place for key, which is made if need be. The caller must call release when it does not use the place any
// more, or when the place has a connection or a waiter because of it.
func (cl *Client) place(key Key) *place {
	cl.mu.RLock()
	pl := cl.places[key]
	if pl != nil {
		pl.users.Add(1)
	}
	cl.mu.RUnlock()
	if pl != nil {
		return pl
	}
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if pl = cl.places[key]; pl == nil {
		cl.prune()
		key.Host, key.Via = strings.Clone(key.Host), strings.Clone(key.Via)
		pl = &place{cl: cl, key: key}
		if key.Version == HTTP2 {
			pl.speaks.Store(2)
		}
		cl.places[key] = pl
	}
	pl.users.Add(1)
	return pl
}

// release is called once for each call of Client.place.
func (pl *place) release() { pl.users.Add(-1) }

// manyPlaces is how many there may be before those are looked for that have nothing.
const manyPlaces = 1 << 10

// prune forgets places that have nothing and that nobody uses, when there are many. The lock is held.
func (cl *Client) prune() {
	if n := len(cl.places); n < manyPlaces || n&(n-1) != 0 {
		return
	}
	for key, pl := range cl.places {
		if pl.users.Load() == 0 && pl.mu.TryLock() {
			if pl.open == 0 && len(pl.waiting) == 0 && !cl.h2.Has(pl.key.h2()) {
				delete(cl.places, key)
			}
			pl.mu.Unlock()
		}
	}
}

// all returns the places of this moment.
func (cl *Client) all() []*place {
	cl.mu.RLock()
	defer cl.mu.RUnlock()
	all := make([]*place, 0, len(cl.places))
	for _, pl := range cl.places {
		all = append(all, pl)
	}
	return all
}

// openFor opens a connection for pl: one of both.
func (cl *Client) openFor(ctx context.Context, pl *place) (*conn, *h2client.Conn, error) {
	o, err := cl.open(ctx, pl.key)
	if err != nil {
		return nil, nil, err
	}
	cl.stats.opened.Add(1)
	if cl.closed.Load() {
		o.Conn.Close()
		return nil, nil, ErrClosed
	}
	if o.HTTP2 {
		c, err := h2client.New(cl.engine, o.Conn, o.Ahead, &cl.cfg.HTTP2, o.TLS, cl.h2Over)
		return nil, c, err
	}
	c := &conn{place: pl, toProxy: o.ToProxy}
	c.Conn, err = h1client.New(cl.engine, o.Conn, o.Ahead, &cl.cfg.HTTP1, o.TLS, func(*h1client.Conn) { pl.drop(c) })
	if err != nil {
		return nil, nil, err
	}
	c.born = c.moment()
	return c, nil, nil
}

// open calls Config.Open, which ends with the client.
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

// openH2 opens a connection for the pool of HTTP/2.
func (cl *Client) openH2(ctx context.Context, k h2client.Key) (*h2client.Conn, error) {
	key := Key{Secure: k.Secure, Host: k.Host, Via: k.Via}
	if k.Only {
		key.Version = HTTP2
	}
	pl := cl.place(key)
	defer pl.release()
	if cl.cfg.MaxConns > 0 && !cl.h2.Has(k) {
		pl.closeIdle()
		pl.mu.Lock()
		c, _, err := pl.wait(ctx, nil) // its turn
		if c != nil {
			pl.put(c)
		}
		if err == nil {
			err = errLook
		}
		return nil, err
	}
	cl.opened.Add(1)
	c, h2, err := cl.openFor(ctx, pl)
	switch {
	case err != nil:
		cl.left()
		return nil, err
	case h2 != nil:
		return h2, nil
	}
	pl.adopt(c)
	return nil, errLook
}

// errLook says that there is a connection elsewhere than where it was looked for: it was opened for all versions, and a
// server that spoke HTTP/2 before may have chosen HTTP/1.1.
var errLook = errors.New("http: the connection is elsewhere")

// h2Over is told that a connection of HTTP/2 takes no more requests.
func (cl *Client) h2Over(c *h2client.Conn) {
	cl.h2.Gone(c)
	cl.left()
}

// CloseIdle ends the connections that have no requests, and those of HTTP/1.1 that are left by theirs before another request
// begins.
func (cl *Client) CloseIdle() {
	cl.noIdle.Store(true)
	for _, pl := range cl.all() {
		pl.closeIdle()
	}
	cl.h2.CloseIdle()
}

// keepIdle ends the effect of CloseIdle: a request begins.
func (cl *Client) keepIdle() {
	if cl.noIdle.Load() {
		cl.noIdle.Store(false)
	}
}

// Close has no more requests begun, and those that are under way fail.
func (cl *Client) Close() error {
	if cl.closed.Swap(true) {
		return nil
	}
	cl.end()
	for _, pl := range cl.all() {
		pl.closeIdle()
		pl.mu.Lock()
		for w := pl.next(); w != nil; w = pl.next() {
			w.err = ErrClosed
			close(w.ready)
		}
		pl.mu.Unlock()
	}
	cl.h2.Close()
	if cl.shares {
		return nil
	}
	return cl.engine.Close()
}
