package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
)

// Target says where a connection leads and how it is opened.
type Target struct {
	Host string // a name in ASCII (see ASCII) or an IP address, without brackets
	Port string // a decimal number

	// TLS, if not nil, asks for TLS with Host. It is not modified. If it has no ServerName the certificate must be valid
	// for Host.
	TLS *tls.Config
	// Secure puts TLS on a connection. Nil means tls.Client. TLS inside the TLS of a proxy always uses tls.Client.
	Secure func(nc net.Conn, cfg *tls.Config) *tls.Conn
	// Handshake does each TLS handshake, with a proxy and with Host, and returns its error. Nil means HandshakeContext.
	Handshake func(ctx context.Context, tc *tls.Conn) error

	// Proxy, if not nil, is asked for a tunnel to Host.
	Proxy *Proxy

	// Net opens the connection to the proxy, or to Host if there is none. It must return when ctx is done. Nil means
	// DialContext of a new Dialer.
	Net func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Dial opens the connection. The caller owns it, and no deadline is set on it. ahead holds bytes that have been read after
// a proxy's response, if the host has sent some already; with TLS that is an error. If the proxy refuses, the error is a
// *ProxyError.
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

// reach opens a connection to the host, directly or through the proxy.
func (t *Target) reach(ctx context.Context) (net.Conn, []byte, error) {
	addr := net.JoinHostPort(t.Host, t.Port)
	if t.Proxy == nil {
		nc, err := t.open(ctx, addr)
		return nc, nil, err
	}
	return t.tunnel(ctx, addr)
}

// open calls Net, or its default.
func (t *Target) open(ctx context.Context, addr string) (net.Conn, error) {
	if t.Net != nil {
		return t.Net(ctx, "tcp", addr)
	}
	return new(Dialer).DialContext(ctx, "tcp", addr)
}

// clientConfig returns a copy of cfg that is complete for TLS with host.
func clientConfig(cfg *tls.Config, host string) *tls.Config {
	cfg = cfg.Clone()
	if cfg.ServerName == "" {
		cfg.ServerName = WithoutZone(host)
	}
	return cfg
}

// tlsWrapper puts TLS on a connection. A nil tlsWrapper stands for tls.Client.
type tlsWrapper func(nc net.Conn, cfg *tls.Config) *tls.Conn

// handshake puts TLS on nc and does the handshake. If that fails it closes nc.
func (t *Target) handshake(ctx context.Context, nc net.Conn, cfg *tls.Config, wrap tlsWrapper) (net.Conn, error) {
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

// WithoutZone returns host without the zone of an IPv6 address, which is only meaningful on this machine (RFC 6874 §4).
func WithoutZone(host string) string {
	if strings.Contains(host, ":") {
		host, _, _ = strings.Cut(host, "%")
	}
	return host
}
