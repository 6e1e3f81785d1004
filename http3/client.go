package http3

import (
	"context"
	"crypto/tls"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// client carries the requests of one nethttp.Transport or client.Client. It implements carrier.Client.
type client struct {
	tls              *tls.Config // nil means the defaults
	listen           func(ctx context.Context, network, addr string) (net.PacketConn, error)
	lookup           func(ctx context.Context, name string) ([]ServiceBinding, error)
	handshakeTimeout time.Duration // 0 is no limit
	idleTimeout      time.Duration // 0 is for ever
	pingAfter        time.Duration // a silence after which a server that has requests is asked; negative: never
	pingTimeout      time.Duration
	headBytes        int
	headFields       int
	budget           int32 // a negative value is no limit
	early            bool  // requests may be sent before the handshake is complete
	sessions         tls.ClientSessionCache
	tokens           quicTokens

	pool clientPool
}

// Ready implements carrier.Client.
func (c *client) Ready(o carrier.Origin) bool {
	p := &c.pool
	p.mu.Lock()
	k := p.hosts[o]
	p.mu.Unlock()
	return k != nil && k.usable()
}

// Dial implements carrier.Client.
func (c *client) Dial(ctx context.Context, o carrier.Origin) error {
	d, k, err := c.find(ctx, o)
	if k != nil || err != nil {
		return err
	}
	return c.await(ctx, d)
}

// Begin implements carrier.Client.
func (c *client) Begin(ctx context.Context, o carrier.Origin, r *carrier.ClientRequest) (carrier.ClientStream, error) {
	k, reused, err := c.conn(ctx, o, r)
	if err != nil {
		return nil, err
	}
	x, err := k.begin(ctx, r)
	if err != nil {
		k.leave(nil)
		return nil, err
	}
	x.reused = reused
	if r.Last {
		k.retire()
	}
	return x, nil
}

// Lookup implements carrier.Client.
func (c *client) Lookup(ctx context.Context, o carrier.Origin) (addr string, ttl time.Duration, ok bool) {
	if c.lookup == nil || net.ParseIP(o.Host) != nil {
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
	if c.handshakeTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.handshakeTimeout)
		defer cancel()
	}
	found, err := c.lookup(ctx, name)
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
func (c *client) CloseIdle() {
	var all sync.WaitGroup
	for _, k := range c.pool.list() {
		all.Go(k.closeIfIdle)
	}
	all.Wait()
}

// Close implements carrier.Client. It returns when the sockets are closed.
func (c *client) Close() {
	c.pool.close()
	for _, k := range c.pool.list() {
		k.end(errTransportClosed)
	}
	c.pool.running.Wait()
}

// Unprocessed implements carrier.Client.
func (c *client) Unprocessed(err error) bool { return isUnprocessed(err) }
