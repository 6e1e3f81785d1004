package dial

import (
	"context"
	"crypto/tls"
	"net"
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

// ProxyError is a proxy's refusal to open a tunnel, or an answer of it that is none.
type ProxyError struct {
	Status int // what it answered to CONNECT; 0 if there was no such answer
	Msg    string
}

// Error returns the message.
func (e *ProxyError) Error() string { return "dial: proxy: " + e.Msg }

// tunnel opens a connection to the proxy and through it one to addr.
func (p *Proxy) tunnel(ctx context.Context, open opener, addr string) (nc net.Conn, ahead []byte, err error) {
	nc, err = open(ctx, net.JoinHostPort(p.Host, p.Port))
	if err == nil && p.Scheme == HTTPS {
		nc, err = handshake(ctx, tls.Client(nc, p.config()))
	}
	if err != nil {
		return nil, nil, err
	}
	stop := Watch(ctx, nc)
	if p.Scheme == SOCKS5 {
		err = p.socks(nc, addr)
	} else {
		ahead, err = p.connect(nc, addr)
	}
	if err = stop(err); err != nil {
		Cut(nc)
		return nil, nil, err
	}
	return nc, ahead, nil
}

// config returns what TLS with the proxy needs.
func (p *Proxy) config() *tls.Config {
	cfg := p.TLS.Clone()
	if cfg == nil {
		cfg = &tls.Config{}
	}
	cfg.ServerName = WithoutZone(p.Host)
	cfg.NextProtos = []string{"http/1.1"}
	return cfg
}
