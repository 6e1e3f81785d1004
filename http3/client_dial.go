package http3

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// dial opens a connection to o.
func (c *client) dial(ctx context.Context, o carrier.Origin) (*clientConn, error) {
	addr, limit := o.Addr, c.handshakeTimeout
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errHandshakeTimeout)
		defer cancel()
	} else {
		limit = time.Hour
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	to, err := resolve(ctx, host, port)
	if err != nil {
		return nil, dialError(ctx, addr, err)
	}
	lim := clientLimits(limit, c.idleTimeout, c.pingAfter+c.pingTimeout)
	lim.early = c.early
	d, err := c.dialFirst(ctx, to, c.tlsConfig(o.Host), lim)
	if err != nil {
		return nil, dialError(ctx, addr, err)
	}
	k, err := c.newConn(d, o)
	if err != nil {
		d.release()
		return nil, dialError(ctx, addr, err)
	}
	return k, nil
}

// dialError returns the error of a dial.
func dialError(ctx context.Context, addr string, err error) error {
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case isHandshakeTimeout(err):
		err = errHandshakeTimeout
	}
	return fmt.Errorf("http3: dial %s: %w", addr, err)
}

// tlsConfig returns the TLS configuration of connections to a host.
func (c *client) tlsConfig(host string) *tls.Config {
	cfg := c.tls.Clone()
	if cfg == nil {
		cfg = new(tls.Config)
	}
	cfg.NextProtos = []string{"h3"}
	if cfg.ClientSessionCache == nil {
		cfg.ClientSessionCache = c.sessions
	}
	cfg.ServerName = cmp.Or(cfg.ServerName, host)
	return cfg
}

// resolve returns the addresses of a host.
func resolve(ctx context.Context, host, port string) ([]netip.AddrPort, error) {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return nil, fmt.Errorf("invalid port %q", port)
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.AddrPort{netip.AddrPortFrom(a.Unmap(), uint16(n))}, nil
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	to := make([]netip.AddrPort, 0, len(found))
	for _, a := range found {
		to = append(to, netip.AddrPortFrom(a.Unmap(), uint16(n)))
	}
	return to, nil
}

// dialDelay is how long an address has before the next one is tried as well (RFC 8305 §5).
const dialDelay = 250 * time.Millisecond

// dialFirst returns the first connection that opens to one of the addresses. The others are given up.
func (c *client) dialFirst(ctx context.Context, to []netip.AddrPort, cfg *tls.Config, lim quicLimits) (quicDialed, error) {
	if len(to) == 1 {
		return c.dialOne(ctx, to[0], cfg, lim)
	}
	type result struct {
		d   quicDialed
		err error
	}
	ctx, cancel := context.WithCancel(ctx)
	results, failed := make(chan result), make(chan struct{}, len(to))
	for i, a := range to {
		go func() {
			if pause(ctx, time.Duration(i)*dialDelay, failed) != nil {
				results <- result{err: ctx.Err()}
				return
			}
			d, err := c.dialOne(ctx, a, cfg, lim)
			results <- result{d, err}
		}()
	}
	var won quicDialed
	var first error
	for range to {
		switch r := <-results; {
		case r.err == nil && won.tr == nil:
			won = r.d
			cancel()
		case r.err == nil:
			r.d.release()
		default:
			first = cmp.Or(first, r.err)
			failed <- struct{}{} // the next one need not wait
		}
	}
	cancel()
	if won.tr != nil {
		return won, nil
	}
	return won, first
}

// dialOne opens a connection to one address.
func (c *client) dialOne(ctx context.Context, to netip.AddrPort, cfg *tls.Config, lim quicLimits) (quicDialed, error) {
	network := "udp6"
	if to.Addr().Is4() {
		network = "udp4"
	}
	pc, err := c.listen(ctx, network, ":0")
	if err != nil {
		return quicDialed{}, err
	}
	at := net.UDPAddrFromAddrPort(to)
	d, err := dialQUIC(ctx, withRefusals(pc), at, cfg, lim, c.tokens)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return d, &net.OpError{Op: "dial", Net: network, Addr: at, Err: syscall.ECONNREFUSED}
	}
	withoutRefusals(pc)
	return d, err
}

// pause waits for d, until skip, or until ctx ends.
func pause(ctx context.Context, d time.Duration, skip <-chan struct{}) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-skip:
	case <-ctx.Done():
	}
	return context.Cause(ctx)
}
