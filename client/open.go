package client

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/dial"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

var (
	errDialTimeout      error = dialTimeoutError("client: a connection has not been opened in time")
	errHandshakeTimeout error = dialTimeoutError("client: the TLS handshake has taken too long")
	errNoHTTP2                = errors.New("client: the server does not choose HTTP/2")
)

// dialTimeoutError is an error whose Timeout method returns true, as net.Error has it.
type dialTimeoutError string

func (e dialTimeoutError) Error() string        { return string(e) }
func (e dialTimeoutError) Timeout() bool        { return true }
func (e dialTimeoutError) Temporary() bool      { return true }
func (e dialTimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// tlsConfig returns the TLS configuration for connections to servers.
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

// open opens a connection for the pool. It is httpclient.Config.Open.
func (c *Client) open(ctx context.Context, key httpclient.Key) (o httpclient.Opened, err error) {
	t, err := c.dialTarget(key)
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
			err := c.tracedHandshake(ctx, tc)
			timer.Reset(d) // after the handshake with a proxy a tunnel is requested
			return err
		}
	} else {
		t.Handshake = c.tracedHandshake
	}
	if o.ToProxy = key.Host == ""; o.ToProxy {
		o.Conn, err = t.DialProxy(ctx)
	} else {
		o.Conn, o.Buffered, err = t.Dial(ctx)
	}
	if err != nil {
		if why := context.Cause(ctx); why == errDialTimeout || why == ErrClosed {
			err = why
		}
		return httpclient.Opened{}, err
	}
	return c.addTLSState(o, key)
}

// addTLSState adds the state of TLS and the version of HTTP that was negotiated to o.
func (c *Client) addTLSState(o httpclient.Opened, key httpclient.Key) (httpclient.Opened, error) {
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

// handshake does the TLS handshake within Config.HandshakeTimeout.
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

// tracedHandshake is handshake with the calls of Trace.
func (c *Client) tracedHandshake(ctx context.Context, tc *tls.Conn) error {
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

// dialTarget returns the server and the proxy that connections for key lead to.
func (c *Client) dialTarget(key httpclient.Key) (*dial.Target, error) {
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
	t.Host = dialHost(host)
	if key.Via != "" {
		via, err := c.proxies.get(key.Via)
		if err != nil {
			return nil, err
		}
		p := via.Proxy
		p.TLS = c.cfg.TLS
		t.Proxy = &p
	}
	return t, nil
}

// dialHost returns a URL's host as it is dialled: without brackets, and with a zone as the system writes it.
func dialHost(host string) string {
	if !strings.HasPrefix(host, "[") {
		return host
	}
	return strings.Replace(host[1:len(host)-1], "%25", "%", 1)
}
