package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"github.com/shockwave-go/shockwave"
)

// Proxy opens tunnels to other hosts, and forwards requests of HTTP.
type Proxy struct {
	Scheme Scheme
	Host   string // as in Target
	Port   string
	Login  *Login // nil is none

	// TLS is for HTTPS; it is not changed, and its ServerName is not used: the certificate must be Host's. Nil is a
	// zero Config.
	TLS *tls.Config

	// Header has further fields for CONNECT, and is not changed; a Proxy-Authorization there takes the place of Login's. Nil
	// is none.
	Header *shockwave.Header
	// OnResponse sees the answer to CONNECT, whatever its status; an error ends the dial. header is valid until it returns.
	// Nil is nothing.
	OnResponse func(status int, header *shockwave.Header) error
}

// Scheme is how a proxy is spoken to.
type Scheme uint8

// The schemes.
const (
	HTTP   Scheme = iota // CONNECT
	HTTPS                // CONNECT over TLS
	SOCKS5               // with names resolved by the proxy: socks5 and socks5h in a URL are the same, as for net/http
)

// Login is what a proxy knows a user by.
type Login struct{ User, Password string }

// ProxyError is a proxy's refusal to open a tunnel, or an answer of it that is none.
type ProxyError struct {
	Status int // what it answered to CONNECT; 0 if there was no such answer
	Msg    string
}

// Error returns the message.
func (e *ProxyError) Error() string { return "dial: proxy: " + e.Msg }

// DialProxy opens a connection to Proxy itself, over TLS if its scheme is HTTPS: for requests in absolute form, which it
// forwards (RFC 9112 §3.2.2). The connection is the caller's; no deadline remains set. What is said of the Host and its TLS
// plays no part. It fails without a Proxy, and for SOCKS5, which forwards nothing.
func (t *Target) DialProxy(ctx context.Context) (net.Conn, error) {
	if t.Proxy == nil || t.Proxy.Scheme == SOCKS5 {
		return nil, errForward
	}
	return t.hop(ctx, t.Secure)
}

var errForward = errors.New("dial: no proxy that forwards requests")

// hop opens a connection to the proxy; wrap is what puts TLS on it.
func (t *Target) hop(ctx context.Context, wrap secure) (net.Conn, error) {
	p := t.Proxy
	nc, err := t.open(ctx, net.JoinHostPort(p.Host, p.Port))
	if err != nil || p.Scheme != HTTPS {
		return nc, err
	}
	return t.handshake(ctx, nc, p.config(), wrap)
}

// tunnel opens a connection to the proxy and through it one to addr.
func (t *Target) tunnel(ctx context.Context, addr string) (nc net.Conn, ahead []byte, err error) {
	// Where there is TLS inside this one, who dials wants to see that only.
	if nc, err = t.hop(ctx, nil); err != nil {
		return nil, nil, err
	}
	stop := Watch(ctx, nc)
	if p := t.Proxy; p.Scheme == SOCKS5 {
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
