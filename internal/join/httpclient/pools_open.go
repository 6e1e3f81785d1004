package httpclient

import (
	"context"

	"github.com/shockwave-go/shockwave/internal/join/h2client"
)

// openFor opens a connection for hp, of HTTP/1.1 or of HTTP/2.
func (ps *pools) openFor(ctx context.Context, hp *hostPool) (*conn, *h2client.Conn, error) {
	o, err := ps.open(ctx, hp.key)
	if err != nil {
		return nil, nil, err
	}
	ps.stats.opened.Add(1)
	if ps.closed.Load() {
		o.Conn.Close()
		return nil, nil, ErrClosed
	}
	if o.HTTP2 {
		c, err := h2client.New(ps.engine, o.Conn, o.Buffered, &ps.cfg.HTTP2, o.TLS, ps.h2Ended)
		return nil, c, err
	}
	c, err := hp.newConn(&o, nil)
	return c, nil, err
}

// open calls Config.Open. The call is cancelled when the client is closed.
func (ps *pools) open(ctx context.Context, key Key) (Opened, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ps.life, cancel)()
	o, err := ps.cfg.Open(ctx, key)
	if err != nil && ps.closed.Load() {
		err = ErrClosed
	}
	return o, err
}

// openH2 opens a connection for the HTTP/2 pool.
func (ps *pools) openH2(ctx context.Context, k h2client.Key) (*h2client.Conn, error) {
	key := Key{Secure: k.Secure, Host: k.Host, Via: k.Via}
	if k.Only {
		key.Version = HTTP2
	}
	hp := ps.find(key)
	if hp.version.Load() != 2 { // it was pruned and made anew, or the server has changed to HTTP/1.1
		return nil, errLookAgain
	}
	if ps.cfg.MaxConns > 0 && !ps.h2.Has(k) {
		hp.closeIdle()
		hp.mu.Lock()
		c, _, err := hp.waitLocked(ctx, wish{}) // wait until MaxConns allows a connection
		if c != nil {
			hp.put(c)
		}
		if err == nil {
			err = errLookAgain
		}
		return nil, err
	}
	ps.room.opened.Add(1)
	c, h2, err := ps.openFor(ctx, hp)
	switch {
	case err != nil:
		ps.room.connEnded()
		return nil, err
	case h2 != nil:
		return h2, nil
	}
	hp.adopt(c)
	return nil, errLookAgain
}

// h2Ended is called when a connection of HTTP/2 takes no more requests.
func (ps *pools) h2Ended(c *h2client.Conn) {
	ps.h2.Gone(c)
	ps.room.connEnded()
}
