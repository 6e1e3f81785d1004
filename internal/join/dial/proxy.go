package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	"github.com/shockwave-go/shockwave"
)

// Proxy is a proxy that opens tunnels to other hosts, and perhaps forwards HTTP requests.
type Proxy struct {
	Scheme Scheme
	Host   string // as in Target
	Port   string
	Login  *Login // nil means none

	// TLS is used for HTTPS. It is not modified. Its ServerName is ignored: the certificate must be valid for Host. Nil
	// means a zero Config.
	TLS *tls.Config

	// Header, if not nil, holds further fields for CONNECT. It is not modified. A Proxy-Authorization in it replaces
	// Login.
	Header *shockwave.Header
	// OnResponse, if not nil, is called with the response to CONNECT, whatever its status. If it returns an error the dial
	// fails with it. header is only valid until OnResponse returns.
	OnResponse func(status int, header *shockwave.Header) error
}

// Scheme says how to talk to a proxy.
type Scheme uint8

// The values of Scheme.
const (
	HTTP   Scheme = iota // CONNECT
	HTTPS                // CONNECT over TLS
	SOCKS5               // the proxy resolves names: socks5 and socks5h in a URL mean the same, as in net/http
)

// Login is a user name and a password for a proxy.
type Login struct{ User, Password string }

// ProxyError is returned when a proxy refuses to open a tunnel, or when its response is malformed.
type ProxyError struct {
	Status int // status of the response to CONNECT; 0 if there was none
	Msg    string
}

// Error returns the message.
func (e *ProxyError) Error() string { return "dial: proxy: " + e.Msg }

// DialProxy opens a connection to Proxy itself, over TLS if its scheme is HTTPS. Requests in absolute form can be sent on
// it, which the proxy forwards (RFC 9112 §3.2.2). The caller owns the connection, and no deadline is set on it. Host, Port
// and TLS of the Target are not used. DialProxy fails if there is no Proxy, and for SOCKS5, which forwards no requests.
func (t *Target) DialProxy(ctx context.Context) (net.Conn, error) {
	if t.Proxy == nil || t.Proxy.Scheme == SOCKS5 {
		return nil, errForward
	}
	return t.openProxy(ctx, t.Secure)
}

var errForward = errors.New("dial: the proxy does not forward requests")

// openProxy opens a connection to the proxy. wrap puts TLS on it if necessary.
func (t *Target) openProxy(ctx context.Context, wrap tlsWrapper) (net.Conn, error) {
	p := t.Proxy
	nc, err := t.open(ctx, net.JoinHostPort(p.Host, p.Port))
	if err != nil || p.Scheme != HTTPS {
		return nc, err
	}
	return t.handshake(ctx, nc, p.config(), wrap)
}

// tunnel opens a connection to the proxy, and through it a tunnel to addr.
func (t *Target) tunnel(ctx context.Context, addr string) (nc net.Conn, ahead []byte, err error) {
	// Secure is not used for TLS with the proxy, since there may be TLS with the host inside it.
	if nc, err = t.openProxy(ctx, nil); err != nil {
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

// config returns the configuration of TLS with the proxy.
func (p *Proxy) config() *tls.Config {
	cfg := p.TLS.Clone()
	if cfg == nil {
		cfg = &tls.Config{}
	}
	cfg.ServerName = WithoutZone(p.Host)
	cfg.NextProtos = []string{"http/1.1"}
	return cfg
}
