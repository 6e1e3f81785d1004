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
	// Handshake does each handshake of TLS, with a proxy and with Host, and returns what became of it. Nil is
	// HandshakeContext.
	Handshake func(ctx context.Context, tc *tls.Conn) error

	// Proxy is asked for a tunnel to Host. Nil is none.
	Proxy *Proxy

	// Net opens the connection to the first hop: a proxy, or Host. It must return when ctx ends. Nil is a Dialer's, one for
	// this dial only.
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
	if _, nested := nc.(*tls.Conn); nested {
		wrap = nil
	}
	nc, err = t.handshake(ctx, nc, clientConfig(t.TLS, t.Host), wrap)
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
	return t.tunnel(ctx, addr)
}

// open is Net or its default.
func (t *Target) open(ctx context.Context, addr string) (net.Conn, error) {
	if t.Net != nil {
		return t.Net(ctx, "tcp", addr)
	}
	return new(Dialer).DialContext(ctx, "tcp", addr)
}

// clientConfig returns what TLS with host needs; cfg is not changed.
func clientConfig(cfg *tls.Config, host string) *tls.Config {
	cfg = cfg.Clone()
	if cfg.ServerName == "" {
		cfg.ServerName = WithoutZone(host)
	}
	return cfg
}

// secure puts TLS on a connection; nil is tls.Client.
type secure func(nc net.Conn, cfg *tls.Config) *tls.Conn

// handshake puts TLS on nc and shakes hands, and cuts the connection if that fails.
func (t *Target) handshake(ctx context.Context, nc net.Conn, cfg *tls.Config, wrap secure) (net.Conn, error) {
	if wrap == nil {
		wrap = tls.Client
	}
	shake := t.Handshake
	if shake == nil {
		shake = shakeHands
	}
	tc := wrap(nc, cfg)
	if err := shake(ctx, tc); err != nil {
		Cut(tc)
		return nil, err
	}
	return tc, nil
}

func shakeHands(ctx context.Context, tc *tls.Conn) error { return tc.HandshakeContext(ctx) }

// WithoutZone returns host without the zone of an IPv6 address, which means something on this machine only (RFC 6874
// §4).
func WithoutZone(host string) string {
	if strings.Contains(host, ":") {
		host, _, _ = strings.Cut(host, "%")
	}
	return host
}
