package httpclient

import (
	"context"
	"fmt"
	"net"

	"github.com/shockwave-go/shockwave/internal/h1client"
	"github.com/shockwave-go/shockwave/internal/h2client"
)

// Alone is a connection for who decides what it is used for: nobody else finds it, and nothing is opened in its place. All
// methods may be called concurrently.
type Alone struct {
	cl      *Client // which has only this one
	changed func()
	h1      *conn          // one of the two
	h2      *h2client.Conn // is nil
}

var errAlone = fmt.Errorf("http: the connection has ended: %w", net.ErrClosed)

// Alone makes a connection of o, whose end is its own from then on; Close of cl ends it, too. changed is called, on any
// goroutine, when Most may have changed otherwise than by a request that begins. key says which version is spoken.
func (cl *Client) Alone(key Key, o Opened, changed func()) (*Alone, error) {
	a := &Alone{changed: changed}
	cfg := cl.cfg
	cfg.Open = func(context.Context, Key) (Opened, error) { return Opened{}, errAlone }
	cfg.MaxConnsPerHost, cfg.MaxConns, cfg.MaxIdlePerHost, cfg.MaxIdle = 1, 0, 0, 0
	cfg.IdleTimeout, cfg.MaxLifetime, cfg.KeepNone, cfg.Strict = 0, 0, false, true
	cfg.HTTP2.Settled = changed
	a.cl = New(cfg)
	a.cl.engine, a.cl.shares = cl.engine, true
	a.cl.opened.Add(1)
	pl := a.cl.place(key)
	defer pl.release()
	var err error
	if o.HTTP2 {
		a.h2, err = h2client.New(cl.engine, o.Conn, o.Ahead, &a.cl.cfg.HTTP2, o.TLS, a.h2Over)
		if err == nil {
			a.cl.h2.Add(key.h2(), a.h2)
		}
		return a, err
	}
	c := &conn{place: pl, toProxy: o.ToProxy}
	c.Conn, err = h1client.New(cl.engine, o.Conn, o.Ahead, &cl.cfg.HTTP1, o.TLS, func(*h1client.Conn) {
		pl.drop(c)
		changed()
	})
	if err != nil {
		return nil, err
	}
	a.h1 = c
	pl.adopt(c)
	return a, nil
}

func (a *Alone) h2Over(c *h2client.Conn) {
	a.cl.h2Over(c)
	a.changed()
}

// Do is Client.Do, of a request with the key that was given to Client.Alone.
func (a *Alone) Do(ctx context.Context, k *Call, r *Response) error { return a.cl.Do(ctx, k, r) }

// Most returns how many requests the server takes at once: of HTTP/1.1 none while there is one. over: the connection takes no
// more requests.
func (a *Alone) Most() (n int, over bool) {
	if a.h2 != nil {
		return a.h2.Most(), !a.h2.Usable()
	}
	if !a.h1.Reusable() {
		return 0, a.h1.Ended()
	}
	return 1, false
}

// Close ends the connection now, and requests that are under way with it.
func (a *Alone) Close() {
	_ = a.cl.Close()
	if a.h1 != nil {
		a.h1.Abort()
	} else {
		a.h2.Abort()
	}
}
