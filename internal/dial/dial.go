package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
)

// Target is where a connection leads, and the way there.
type Target struct {
	Host string // a name in ASCII, see ASCII, or an IP address, of IPv6 without brackets
	Port string // decimal

	// TLS asks for TLS with Host; it is not changed. Without a ServerName the certificate must be Host's. Nil is none.
	TLS *tls.Config
	// Secure puts TLS on a connection, as tls.Client does, which is its default. TLS inside the TLS of a proxy is
	// tls.Client's in any case.
	Secure func(nc net.Conn, cfg *tls.Config) *tls.Conn

	// Proxy is asked for a tunnel to Host. Nil is none.
	Proxy *Proxy

	// Net opens the connection to the first hop: a proxy, or Host. It must return when ctx ends. Nil is a net.Dialer,
	// which tries the addresses of a name side by side (RFC 8305).
	Net func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Dial opens the connection, which is the caller's; no deadline remains set. ahead are the bytes that came right behind
// a proxy's answer: the host spoke first. Over TLS it must not. The error of a proxy that refuses is a *ProxyError.
func (t *Target) Dial(ctx context.Context) (nc net.Conn, ahead []byte, err error) {
	nc, ahead, err = t.reach(ctx)
	if err != nil || t.TLS == nil {
		return nc, ahead, err
	}
	if len(ahead) > 0 {
		Cut(nc)
		return nil, nil, errSpokeFirst
	}
	wrap := t.Secure
	if _, nested := nc.(*tls.Conn); nested || wrap == nil {
		wrap = tls.Client
	}
	nc, err = handshake(ctx, wrap(nc, clientConfig(t.TLS, t.Host)))
	return nc, nil, err
}

var errSpokeFirst = errors.New("dial: bytes before the TLS handshake")

// reach opens a connection that ends at the host.
func (t *Target) reach(ctx context.Context) (net.Conn, []byte, error) {
	addr := net.JoinHostPort(t.Host, t.Port)
	if t.Proxy == nil {
		nc, err := t.open(ctx, addr)
		return nc, nil, err
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

// clientConfig returns what TLS with host needs; cfg is not changed.
func clientConfig(cfg *tls.Config, host string) *tls.Config {
	cfg = cfg.Clone()
	if cfg.ServerName == "" {
		cfg.ServerName = WithoutZone(host)
	}
	return cfg
}

// handshake shakes hands, and cuts the connection if that fails.
func handshake(ctx context.Context, tc *tls.Conn) (net.Conn, error) {
	if err := tc.HandshakeContext(ctx); err != nil {
		Cut(tc)
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
