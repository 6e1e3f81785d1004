package client

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/client/internal/target"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/dial"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

var (
	errDialTimeout      error = dialTimeoutError("client: timeout opening a connection")
	errHandshakeTimeout error = dialTimeoutError("client: timeout in the TLS handshake")
	errNoHTTP2                = errors.New("client: the server does not speak HTTP/2")
)

// dialTimeoutError is an error whose Timeout method returns true, as net.Error has it.
type dialTimeoutError string

func (e dialTimeoutError) Error() string        { return string(e) }
func (e dialTimeoutError) Timeout() bool        { return true }
func (e dialTimeoutError) Temporary() bool      { return true }
func (e dialTimeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// opener opens the connections of a Client.
type opener struct {
	cfg     *Config
	proxies *proxies
	tls     *tls.Config // for servers
	dialer  dial.Dialer
	life    context.Context // until Client.Close
}

// tlsConfig returns the TLS configuration for connections to servers.
func tlsConfig(cfg *Config, names []string) *tls.Config {
	c := cfg.TLSConfig.Clone()
	if c == nil {
		c = new(tls.Config)
	}
	if c.ClientSessionCache == nil {
		c.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	c.NextProtos = names
	return c
}

// open opens a connection for the pool. It is httpclient.Config.Open.
func (o *opener) open(ctx context.Context, key httpclient.Key) (c httpclient.Opened, err error) {
	t, err := o.target(key)
	if err != nil {
		return c, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(o.life, func() { cancel(ErrClosed) })()
	if d := o.cfg.DialTimeout; d > 0 {
		timer := time.AfterFunc(d, func() { cancel(errDialTimeout) })
		defer timer.Stop()
		t.Handshake = func(ctx context.Context, tc *tls.Conn) error {
			timer.Stop()
			err := o.tracedHandshake(ctx, tc)
			timer.Reset(d) // after the handshake with a proxy a tunnel is requested
			return err
		}
	} else {
		t.Handshake = o.tracedHandshake
	}
	if c.ToProxy = key.Host == ""; c.ToProxy {
		c.Conn, err = t.DialProxy(ctx)
	} else {
		c.Conn, c.Buffered, err = t.Dial(ctx)
	}
	if err != nil {
		if why := context.Cause(ctx); why == errDialTimeout || why == ErrClosed {
			err = why
		}
		return httpclient.Opened{}, err
	}
	return addTLSState(c, key)
}

// addTLSState adds the state of TLS and the version of HTTP that was negotiated to c.
func addTLSState(c httpclient.Opened, key httpclient.Key) (httpclient.Opened, error) {
	c.HTTP2 = key.Version == httpclient.HTTP2
	tc, ok := c.Conn.(*tls.Conn)
	if !ok || !key.Secure {
		return c, nil
	}
	state := tc.ConnectionState()
	c.TLS = &state
	chosen := state.NegotiatedProtocol == "h2"
	if c.HTTP2 && !chosen {
		c.Conn.Close()
		return httpclient.Opened{}, errNoHTTP2
	}
	c.HTTP2 = chosen
	return c, nil
}

// handshake does the TLS handshake within Config.TLSHandshakeTimeout.
func (o *opener) handshake(ctx context.Context, tc *tls.Conn) error {
	d := o.cfg.TLSHandshakeTimeout
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
func (o *opener) tracedHandshake(ctx context.Context, tc *tls.Conn) error {
	t := traceOf(ctx)
	if t.TLSStart != nil {
		t.TLSStart()
	}
	err := o.handshake(ctx, tc)
	if t.TLSDone != nil {
		t.TLSDone(tc.ConnectionState(), err)
	}
	return err
}

// dial opens a connection to a server or a proxy.
func (o *opener) dial(ctx context.Context, network, addr string) (nc net.Conn, err error) {
	t := traceOf(ctx)
	if t.DialStart != nil {
		t.DialStart(network, addr)
	}
	if o.cfg.NetDial != nil {
		nc, err = o.cfg.NetDial(ctx, network, addr)
	} else {
		nc, err = o.dialer.DialContext(ctx, network, addr)
	}
	if t.DialDone != nil {
		t.DialDone(network, addr, err)
	}
	return nc, err
}

// target returns the server and the proxy for connections with the given key.
func (o *opener) target(key httpclient.Key) (*dial.Target, error) {
	t := &dial.Target{Net: o.dial, Secure: netconn.TLSClient, Port: "80"}
	if key.Secure {
		t.Port, t.TLS = "443", o.tls
	}
	host, port, err := target.SplitPort(key.Host)
	if err != nil {
		return nil, err
	}
	if port != "" {
		t.Port = port[1:]
	}
	t.Host = target.DialHost(host)
	if key.Via != "" {
		via, err := o.proxies.get(key.Via)
		if err != nil {
			return nil, err
		}
		p := via.Proxy
		p.TLS = o.cfg.TLSConfig
		t.Proxy = &p
	}
	return t, nil
}
