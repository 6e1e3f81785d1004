package httpclient

import (
	"context"
	"fmt"
	"net"

	"github.com/shockwave-go/shockwave/internal/join/h2client"
)

// SingleConn is a single connection that its owner manages: no other request uses it, and no other connection is opened in its
// place. All methods may be called concurrently.
type SingleConn struct {
	cl      *Client // has only this connection
	changed func()
	h1      *conn // one of h1 and h2 is set
	h2      *h2client.Conn
}

var errSingleEnded = fmt.Errorf("http: the connection has ended: %w", net.ErrClosed)

// SingleConn makes a connection from o and takes ownership of o.Conn. Close of cl closes it, too. key says which version is
// spoken. changed is called, on any goroutine, when the result of Most may have changed for another reason than a new
// request.
func (cl *Client) SingleConn(key Key, o Opened, changed func()) (*SingleConn, error) {
	a := &SingleConn{changed: changed}
	cfg := cl.pools.cfg
	cfg.Open = func(context.Context, Key) (Opened, error) { return Opened{}, errSingleEnded }
	cfg.MaxConnsPerHost, cfg.MaxConns, cfg.MaxIdlePerHost, cfg.MaxIdle = 1, 0, 0, 0
	cfg.IdleTimeout, cfg.MaxLifetime, cfg.KeepNone, cfg.Strict = 0, 0, false, true
	cfg.HTTP2.SettingsReceived = changed
	cfg.HTTP3 = nil
	a.cl = New(cfg)
	a.cl.pools.engine, a.cl.shares = cl.pools.engine, true
	a.cl.pools.room.opened.Add(1)
	hp := a.cl.pools.find(key)
	var err error
	if o.HTTP2 {
		a.h2, err = h2client.New(cl.pools.engine, o.Conn, o.Buffered, &a.cl.pools.cfg.HTTP2, o.TLS, a.h2Ended)
		if err == nil {
			a.cl.pools.h2.Add(key.h2(), a.h2)
		}
		return a, err
	}
	if a.h1, err = hp.newConn(&o, changed); err != nil {
		return nil, err
	}
	hp.adopt(a.h1)
	return a, nil
}

func (a *SingleConn) h2Ended(c *h2client.Conn) {
	a.cl.pools.h2Ended(c)
	a.changed()
}

// Do is Client.Do. The call's key must be the one that was given to Client.SingleConn.
func (a *SingleConn) Do(ctx context.Context, k *Call, r *Response) error { return a.cl.Do(ctx, k, r) }

// Most returns how many requests the server accepts at once. On HTTP/1.1 that is 1, or 0 while a request is under way.
// over reports that the connection takes no more requests.
func (a *SingleConn) Most() (n int, over bool) {
	if a.h2 != nil {
		return a.h2.Most(), !a.h2.Usable()
	}
	if !a.h1.Reusable() {
		return 0, a.h1.Ended()
	}
	return 1, false
}

// Close ends the connection at once. Requests that are under way fail.
func (a *SingleConn) Close() {
	_ = a.cl.Close()
	if a.h1 != nil {
		a.h1.Abort()
	} else {
		a.h2.Abort()
	}
}
