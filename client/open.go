package client

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/internal/dial"
	"github.com/shockwave-go/shockwave/internal/httpclient"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

var (
	errDialTimeout      error = slowError("client: a connection has not been opened in time")
	errHandshakeTimeout error = slowError("client: the TLS handshake has taken too long")
	errNoHTTP2                = errors.New("client: the server does not choose HTTP/2")
)

// slowError is an error that is a timeout to net.Error's users.
type slowError string

func (e slowError) Error() string        { return string(e) }
func (e slowError) Timeout() bool        { return true }
func (e slowError) Temporary() bool      { return true }
func (e slowError) Is(target error) bool { return target == context.DeadlineExceeded }

// tlsConfig is what is offered to servers.
func tlsConfig(cfg *Config) *tls.Config {
	c := cfg.TLS.Clone()
	if c == nil {
		c = new(tls.Config)
	}
	if c.ClientSessionCache == nil {
		c.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	switch cfg.Protocol {
	case HTTP1:
		c.NextProtos = []string{"http/1.1"}
	case HTTP2:
		c.NextProtos = []string{"h2"}
	default:
		c.NextProtos = []string{"h2", "http/1.1"}
	}
	return c
}

// open opens a connection, for the pool.
func (c *Client) open(ctx context.Context, key httpclient.Key) (o httpclient.Opened, err error) {
	t, err := c.way(key)
	if err != nil {
		return o, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.life, func() { cancel(ErrClosed) })()
	if d := c.cfg.DialTimeout; d > 0 {
		timer := time.AfterFunc(d, func() { cancel(errDialTimeout) })
		defer timer.Stop()
		t.Handshake = func(ctx context.Context, tc *tls.Conn) error {
			timer.Stop()
			err := c.shake(ctx, tc)
			timer.Reset(d) // behind that with a proxy a tunnel is asked for
			return err
		}
	} else {
		t.Handshake = c.shake
	}
	if o.ToProxy = key.Host == ""; o.ToProxy {
		o.Conn, err = t.DialProxy(ctx)
	} else {
		o.Conn, o.Ahead, err = t.Dial(ctx)
	}
	if err != nil {
		if why := context.Cause(ctx); why == errDialTimeout || why == ErrClosed {
			err = why
		}
		return httpclient.Opened{}, err
	}
	return c.secured(o, key)
}

// secured fills in what TLS has brought.
func (c *Client) secured(o httpclient.Opened, key httpclient.Key) (httpclient.Opened, error) {
	o.HTTP2 = key.Version == httpclient.HTTP2
	tc, ok := o.Conn.(*tls.Conn)
	if !ok || !key.Secure {
		return o, nil
	}
	state := tc.ConnectionState()
	o.TLS = &state
	chosen := state.NegotiatedProtocol == "h2"
	if o.HTTP2 && !chosen {
		o.Conn.Close()
		return httpclient.Opened{}, errNoHTTP2
	}
	o.HTTP2 = chosen
	return o, nil
}

// handshake shakes hands in time.
func (c *Client) handshake(ctx context.Context, tc *tls.Conn) error {
	d := c.cfg.HandshakeTimeout
	if d <= 0 {
		return tc.HandshakeContext(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, d, errHandshakeTimeout)
	defer cancel()
	err := tc.HandshakeContext(ctx)
	if err != nil && context.Cause(ctx) == errHandshakeTimeout {
		err = errHandshakeTimeout
	}
	return err
}

// shake is handshake that is told of.
func (c *Client) shake(ctx context.Context, tc *tls.Conn) error {
	t := traceOf(ctx)
	if t.TLSStart != nil {
		t.TLSStart()
	}
	err := c.handshake(ctx, tc)
	if t.TLSDone != nil {
		t.TLSDone(tc.ConnectionState(), err)
	}
	return err
}

// dial opens a connection to a server or a proxy.
func (c *Client) dial(ctx context.Context, network, addr string) (nc net.Conn, err error) {
	t := traceOf(ctx)
	if t.DialStart != nil {
		t.DialStart(network, addr)
	}
	if c.cfg.Dial != nil {
		nc, err = c.cfg.Dial(ctx, network, addr)
	} else {
		nc, err = c.dialer.DialContext(ctx, network, addr)
	}
	if t.DialDone != nil {
		t.DialDone(network, addr, err)
	}
	return nc, err
}

// way returns where a key leads.
func (c *Client) way(key httpclient.Key) (*dial.Target, error) {
	t := &dial.Target{Net: c.dial, Secure: netconn.TLSClient, Port: "80"}
	if key.Secure {
		t.Port, t.TLS = "443", c.tls
	}
	host, port, err := splitPort(key.Host)
	if err != nil {
		return nil, err
	}
	if port != "" {
		t.Port = port[1:]
	}
	t.Host = bare(host)
	if key.Via != "" {
		via, err := c.proxies.again(key.Via)
		if err != nil {
			return nil, err
		}
		p := via.Proxy
		p.TLS = c.cfg.TLS
		t.Proxy = &p
	}
	return t, nil
}

// bare is a host of a URL as it is dialled: without brackets, and with the zone as the system writes it.
func bare(host string) string {
	if !strings.HasPrefix(host, "[") {
		return host
	}
	return strings.Replace(host[1:len(host)-1], "%25", "%", 1)
}
