package roundtrip

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptrace"
	"net/url"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/dial"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// connector opens the connections of an Engine.
type connector struct {
	settings  func() *Settings
	versions  enabledVersions
	dialer    dial.Dialer
	nextProto nextProtoTrippers
}

// init prepares t.
func (t *connector) init(settings func() *Settings, versions enabledVersions) {
	t.settings, t.versions, t.dialer.Resolver = settings, versions, resolver{}
}

// opener opens one connection, with the settings at that time.
type opener struct {
	*connector
	*Settings
}

// open implements httpclient.Config.Open.
func (t *connector) open(ctx context.Context, key httpclient.Key) (httpclient.Opened, error) {
	return opener{t, t.settings()}.open(ctx, key)
}

// open opens a connection.
func (t opener) open(ctx context.Context, key httpclient.Key) (o httpclient.Opened, err error) {
	target := &dial.Target{Net: t.dial, Secure: netconn.TLSClient}
	target.Handshake = t.handshake
	if key.Host != "" {
		target.Host, target.Port, err = hostPort(&url.URL{Host: key.Host}, defaultPort(key.Secure))
		if err != nil {
			return o, err
		}
	}
	if key.Secure {
		target.TLS = t.tlsConfig(key.Version)
	}
	switch {
	case key.Via != "":
		o, err = t.openVia(ctx, key, target)
	case key.Secure && t.dialsTLS():
		o.Conn, err = t.dialTLS(ctx, "tcp", net.JoinHostPort(target.Host, target.Port))
	default:
		o.Conn, o.Buffered, err = target.Dial(ctx)
	}
	if err != nil {
		return o, err
	}
	return t.negotiated(o, key, target)
}

// negotiated sets the fields of o that depend on what TLS has negotiated. A function in TLSNextProto may take the
// connection over.
func (t opener) negotiated(o httpclient.Opened, key httpclient.Key, target *dial.Target) (httpclient.Opened, error) {
	o.Conn = wrapUserConn(o.Conn)
	tc, ok := o.Conn.(*tls.Conn)
	if !ok || !key.Secure && !o.ToProxy {
		o.HTTP2 = !key.Secure && key.Version == httpclient.HTTP2
		return o, nil
	}
	state := tc.ConnectionState()
	o.TLS = &state
	if o.ToProxy {
		return o, nil
	}
	chosen := state.NegotiatedProtocol
	if err := t.tryNextProto(key, net.JoinHostPort(target.Host, target.Port), tc, chosen); err != nil {
		return o, err
	}
	o.HTTP2 = chosen == h2 && key.Version != httpclient.HTTP1
	if key.Version == httpclient.HTTP2 && !o.HTTP2 {
		o.Conn.Close()
		return o, errNoHTTP2
	}
	return o, nil
}

// errNoHTTP2 is returned if a server does not choose HTTP/2 and no other version may be spoken.
var errNoHTTP2 = errors.New("nethttp: the server does not speak HTTP/2 over TLS, and Protocols has no HTTP1")

// dial opens a connection without TLS.
func (t opener) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	switch {
	case t.DialContext != nil:
		nc, err := t.DialContext(ctx, network, addr)
		if nc == nil && err == nil {
			err = errors.New("net/http: Transport.DialContext hook returned (nil, nil)")
		}
		return nc, err
	case t.Dial != nil:
		nc, err := t.Dial(network, addr)
		if nc == nil && err == nil {
			err = errors.New("net/http: Transport.Dial hook returned (nil, nil)")
		}
		return nc, err
	}
	return t.dialer.DialContext(ctx, network, addr)
}

func (t opener) dialsTLS() bool { return t.DialTLS != nil || t.DialTLSContext != nil }

// dialTLS opens a connection with the user's function for TLS. It completes the handshake if the function has not.
func (t opener) dialTLS(ctx context.Context, network, addr string) (nc net.Conn, err error) {
	if t.DialTLSContext != nil {
		nc, err = t.DialTLSContext(ctx, network, addr)
	} else {
		nc, err = t.DialTLS(network, addr)
	}
	if nc == nil && err == nil {
		err = errors.New("net/http: Transport.DialTLS or DialTLSContext returned (nil, nil)")
	}
	if err != nil {
		return nil, err
	}
	if tc, ok := nc.(*tls.Conn); ok {
		if err := t.traceHandshake(ctx, tc); err != nil {
			dial.Cut(nc)
			return nil, err
		}
	}
	return nc, nil
}

// handshake does a TLS handshake with a proxy or a server, within TLSHandshakeTimeout.
func (t opener) handshake(ctx context.Context, tc *tls.Conn) error {
	if t.TLSHandshakeTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, t.TLSHandshakeTimeout, errTLSTimeout)
		defer cancel()
	}
	return t.traceHandshake(ctx, tc)
}

// traceHandshake does a TLS handshake and reports it to the trace in ctx.
func (t opener) traceHandshake(ctx context.Context, tc *tls.Conn) error {
	trace := httptrace.ContextClientTrace(ctx)
	if trace != nil && trace.TLSHandshakeStart != nil {
		trace.TLSHandshakeStart()
	}
	err := tc.HandshakeContext(ctx)
	var state tls.ConnectionState
	if err == nil {
		state = tc.ConnectionState()
	} else if context.Cause(ctx) == errTLSTimeout {
		err = errTLSTimeout
	}
	if trace != nil && trace.TLSHandshakeDone != nil {
		trace.TLSHandshakeDone(state, err)
	}
	return err
}
