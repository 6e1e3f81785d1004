package client

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

	"github.com/shockwave-go/shockwave/http3/internal/clientconn"
	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/http3/internal/udp"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// dialer opens connections.
type dialer struct {
	cfg      Config
	sessions tls.ClientSessionCache
	tokens   quicconn.Tokens
}

// open opens a connection of a pool to o.
func (c *dialer) open(ctx context.Context, o carrier.Origin, pool clientconn.Pool) (*clientconn.Conn, error) {
	addr, limit := o.Addr, c.cfg.HandshakeTimeout
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
	lim := limits(limit, c.cfg.IdleTimeout, c.cfg.PingInterval+c.cfg.PingTimeout)
	lim.Early = c.cfg.Early
	d, err := c.dialFirst(ctx, to, c.tlsConfig(o.Host), lim)
	if err != nil {
		return nil, dialError(ctx, addr, err)
	}
	k, err := c.begin(ctx, d, o, pool)
	if err != nil {
		d.Release()
		return nil, dialError(ctx, addr, err)
	}
	return k, nil
}

// begin begins HTTP/3 on a connection. A server that does not take what is sent before the handshake is complete may have said so
// already: nothing was sent yet, and the connection goes on behind the handshake.
func (c *dialer) begin(ctx context.Context, d quicconn.Dialed, o carrier.Origin, pool clientconn.Pool) (*clientconn.Conn, error) {
	k, err := clientconn.New(&c.cfg.Config, pool, d, o)
	if !quicconn.RejectedEarly(err) {
		return k, err
	}
	if err := d.GoOn(ctx); err != nil {
		return nil, err
	}
	return clientconn.New(&c.cfg.Config, pool, d, o)
}

// dialError returns the error of a dial.
func dialError(ctx context.Context, addr string, err error) error {
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case quicconn.IsHandshakeTimeout(err):
		err = errHandshakeTimeout
	}
	return fmt.Errorf("http3: dial %s: %w", addr, err)
}

var errHandshakeTimeout error = clientconn.TimeoutError("http3: TLS handshake timeout")

// tlsConfig returns the TLS configuration of connections to a host.
func (c *dialer) tlsConfig(host string) *tls.Config {
	cfg := c.cfg.TLS.Clone()
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

// forgetSession removes the TLS session of a host.
func (c *dialer) forgetSession(host string) {
	cfg := c.tlsConfig(host)
	cfg.ClientSessionCache.Put(cfg.ServerName, nil)
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

// dialDelay is the time after which the next address is tried as well (RFC 8305 §5).
const dialDelay = 250 * time.Millisecond

// dialFirst returns the first connection that opens to one of the addresses. The other attempts are cancelled.
func (c *dialer) dialFirst(ctx context.Context, to []netip.AddrPort, cfg *tls.Config, lim quicconn.Limits) (quicconn.Dialed, error) {
	if len(to) == 1 {
		return c.dialOne(ctx, to[0], cfg, lim)
	}
	type result struct {
		d   quicconn.Dialed
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
	var won *quicconn.Dialed
	var first error
	for range to {
		switch r := <-results; {
		case r.err == nil && won == nil:
			won = &r.d
			cancel()
		case r.err == nil:
			r.d.Release()
		default:
			first = cmp.Or(first, r.err)
			failed <- struct{}{} // the next one need not wait
		}
	}
	cancel()
	if won == nil {
		return quicconn.Dialed{}, first
	}
	return *won, nil
}

// dialOne opens a connection to one address.
func (c *dialer) dialOne(ctx context.Context, to netip.AddrPort, cfg *tls.Config, lim quicconn.Limits) (quicconn.Dialed, error) {
	network := "udp6"
	if to.Addr().Is4() {
		network = "udp4"
	}
	pc, err := c.cfg.Listen(ctx, network, ":0")
	if err != nil {
		return quicconn.Dialed{}, err
	}
	at := net.UDPAddrFromAddrPort(to)
	d, err := quicconn.Dial(ctx, udp.WithRefusals(pc), at, cfg, lim, c.tokens)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return d, &net.OpError{Op: "dial", Net: network, Addr: at, Err: syscall.ECONNREFUSED}
	}
	udp.WithoutRefusals(pc)
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

// limits are the limits of connections. QUIC's own idle timeout is longer than IdleTimeout and those of the pulse. A server may open one
// bidirectional stream, so that it is noticed and refused.
func limits(handshake, idle, pulse time.Duration) quicconn.Limits {
	if idle <= 0 {
		idle = 1000 * time.Hour
	}
	return quicconn.Limits{
		Handshake: handshake, Idle: max(idle, 2*pulse) + time.Minute, Streams: 1, UniStreams: quicconn.MaxUniStreams,
		StreamWindow: 4 << 20, ConnWindow: 16 << 20,
	}
}
