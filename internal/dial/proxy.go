package dial

import (
	"context"
	"crypto/tls"
	"net"

	"golang.org/x/net/proxy"
)

// Proxy opens tunnels to other hosts.
type Proxy struct {
	Scheme Scheme
	Host   string // as in Target
	Port   string
	Login  *Login // nil is none

	// TLS is for HTTPS; it is not changed, and its ServerName is not used: the certificate must be Host's. Nil is a
	// zero Config.
	TLS *tls.Config
}

// Scheme is how a proxy is spoken to.
type Scheme uint8

// The schemes.
const (
	HTTP   Scheme = iota // CONNECT
	HTTPS                // CONNECT over TLS
	SOCKS5               // with names resolved by the proxy
)

// Login is what a proxy knows a user by.
type Login struct{ User, Password string }

// opener opens a connection to addr.
type opener func(ctx context.Context, addr string) (net.Conn, error)

// tunnel opens a connection to the proxy and through it one to addr.
func (p *Proxy) tunnel(ctx context.Context, open opener, addr string) (net.Conn, error) {
	nc, err := open(ctx, net.JoinHostPort(p.Host, p.Port))
	if err == nil && p.Scheme == HTTPS {
		nc, err = secure(ctx, nc, p.config(), p.Host)
	}
	if err != nil {
		return nil, err
	}
	ask := p.connect
	if p.Scheme == SOCKS5 {
		ask = p.socks
	}
	stop := Watch(ctx, nc)
	tunnel, err := ask(nc, addr)
	if err = stop(err); err != nil {
		Cut(nc)
		return nil, err
	}
	return tunnel, nil
}

// config returns what TLS with the proxy needs.
func (p *Proxy) config() *tls.Config {
	cfg := p.TLS.Clone()
	if cfg == nil {
		cfg = &tls.Config{}
	}
	cfg.ServerName = ""
	cfg.NextProtos = []string{"http/1.1"}
	return cfg
}

// socks asks the SOCKS5 proxy at the other end of nc for a tunnel to addr, and returns nc: the connection that package
// proxy makes of it only adds an address, and hides what nc can do.
func (p *Proxy) socks(nc net.Conn, addr string) (net.Conn, error) {
	var auth *proxy.Auth
	if p.Login != nil {
		auth = &proxy.Auth{User: p.Login.User, Password: p.Login.Password}
	}
	d, err := proxy.SOCKS5("tcp", net.JoinHostPort(p.Host, p.Port), auth, opened{nc})
	if err != nil {
		return nil, err
	}
	if _, err = d.(proxy.ContextDialer).DialContext(context.Background(), "tcp", addr); err != nil {
		return nil, err
	}
	return nc, nil
}

// opened is a proxy.ContextDialer whose connection is there already, and watched.
type opened struct{ nc net.Conn }

// Dial implements proxy.Dialer.
func (o opened) Dial(string, string) (net.Conn, error) { return o.nc, nil }

// DialContext implements proxy.ContextDialer.
func (o opened) DialContext(context.Context, string, string) (net.Conn, error) { return o.nc, nil }
