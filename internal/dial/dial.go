package dial

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
)

// Target is where a connection leads, and the way there.
type Target struct {
	Host string // a name in ASCII, see ASCII, or an IP address, of IPv6 without brackets
	Port string // decimal

	// TLS asks for TLS with Host; it is not changed. Without a ServerName the certificate must be Host's. Nil is none.
	TLS *tls.Config

	// Proxy is asked for a tunnel to Host. Nil is none.
	Proxy *Proxy

	// Net opens the connection to the first hop: a proxy, or Host. It must return when ctx ends. Nil is a net.Dialer,
	// which tries the addresses of a name side by side (RFC 8305).
	Net func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Dial opens the connection, which is the caller's. On the way there no byte of the other end is lost, and no deadline
// remains set. The error of a proxy that refuses is a *ProxyError.
func (t *Target) Dial(ctx context.Context) (net.Conn, error) {
	nc, err := t.reach(ctx)
	if err != nil || t.TLS == nil {
		return nc, err
	}
	return secure(ctx, nc, t.TLS.Clone(), t.Host)
}

// reach opens a connection that ends at the host.
func (t *Target) reach(ctx context.Context) (net.Conn, error) {
	addr := net.JoinHostPort(t.Host, t.Port)
	if t.Proxy == nil {
		return t.open(ctx, addr)
	}
	return t.Proxy.tunnel(ctx, t.open, addr)
}

// open is Net or its default.
func (t *Target) open(ctx context.Context, addr string) (net.Conn, error) {
	if t.Net != nil {
		return t.Net(ctx, "tcp", addr)
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", addr)
}

// secure begins TLS on nc, which it closes if that fails.
func secure(ctx context.Context, nc net.Conn, cfg *tls.Config, host string) (net.Conn, error) {
	if cfg.ServerName == "" {
		cfg.ServerName = WithoutZone(host)
	}
	tc := tls.Client(nc, cfg)
	if err := tc.HandshakeContext(ctx); err != nil {
		nc.Close()
		return nil, err
	}
	return tc, nil
}

// WithoutZone returns host without the zone of an IPv6 address, which means something on this machine only (RFC 6874
// §4).
func WithoutZone(host string) string {
	if strings.Contains(host, ":") {
		host, _, _ = strings.Cut(host, "%")
	}
	return host
}
