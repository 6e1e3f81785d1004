// Package client carries the requests of a nethttp.Transport or client.Client over HTTP/3: it finds or opens the connection for each.
//
//	Client ─► pool ─► clientconn.Conn
//	           └► dial: addresses, the handshake ─► clientconn.Conn
package client

import (
	"context"
	"crypto/tls"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/http3/internal/clientconn"
	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// Client implements carrier.Client.
type Client struct {
	dialer
	pool pool
}

// New returns a client without connections.
func New(cfg Config) *Client {
	c := &Client{dialer: dialer{cfg: cfg, sessions: tls.NewLRUClientSessionCache(0), tokens: quicconn.NewTokens()}}
	c.pool.open = func(ctx context.Context, o carrier.Origin) (*clientconn.Conn, error) {
		return c.dialer.open(ctx, o, opener{c})
	}
	return c
}

// opener is the view that connections have of a client. It implements clientconn.Pool.
type opener struct{ c *Client }

func (o opener) Remove(k *clientconn.Conn)        { o.c.pool.remove(k) }
func (o opener) Forget(k *clientconn.Conn)        { o.c.pool.forget(k) }
func (o opener) ForgetSession(k *clientconn.Conn) { o.c.forgetSession(k.To.Host) }

// Ready implements carrier.Client.
func (c *Client) Ready(o carrier.Origin) bool { return c.pool.isReady(o) }

// Dial implements carrier.Client.
func (c *Client) Dial(ctx context.Context, o carrier.Origin) error { return c.pool.dial(ctx, o) }

// Begin implements carrier.Client.
func (c *Client) Begin(ctx context.Context, o carrier.Origin, r *carrier.ClientRequest) (carrier.ClientStream, error) {
	k, reused, err := c.pool.reserve(ctx, o, r)
	if err != nil {
		return nil, err
	}
	x, err := k.Begin(ctx, r, reused)
	if err != nil {
		k.Leave()
		return nil, err
	}
	if r.Last {
		k.Retire()
	}
	return x, nil
}

// Lookup implements carrier.Client.
func (c *Client) Lookup(ctx context.Context, o carrier.Origin) (addr string, ttl time.Duration, ok bool) {
	if c.cfg.Lookup == nil || net.ParseIP(o.Host) != nil {
		return "", 0, false
	}
	_, port, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return "", 0, false
	}
	name := o.Host
	if port != "443" {
		name = "_" + port + "._https." + o.Host // RFC 9460 §9.1
	}
	if c.cfg.HandshakeTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.cfg.HandshakeTimeout)
		defer cancel()
	}
	found, err := c.cfg.Lookup(ctx, name)
	if err != nil {
		return "", 0, false
	}
	var best *ServiceBinding
	for i := range found {
		b := &found[i]
		if b.Priority > 0 && slices.Contains(b.ALPN, "h3") && (best == nil || b.Priority < best.Priority) {
			best = b
		}
	}
	if best == nil {
		return "", 0, false
	}
	host := strings.TrimSuffix(best.Target, ".")
	if host == "" || host == name {
		host = o.Host
	}
	if best.Port != 0 {
		port = strconv.Itoa(int(best.Port))
	}
	return net.JoinHostPort(host, port), best.TTL, true
}

// CloseIdle implements carrier.Client.
func (c *Client) CloseIdle() { c.pool.closeIdle() }

// Close implements carrier.Client. It returns when the sockets are closed.
func (c *Client) Close() { c.pool.close() }

// Unprocessed implements carrier.Client.
func (c *Client) Unprocessed(err error) bool { return clientconn.IsUnprocessed(err) }
