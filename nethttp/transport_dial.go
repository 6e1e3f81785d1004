package nethttp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/dial"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// key returns the key of the connections that a request can use.
func (t *Transport) key(req *http.Request) (key httpclient.Key, err error) {
	u := req.URL
	key = httpclient.Key{Secure: u.Scheme == "https", Host: lowerHost(u.Host), Version: t.version(req)}
	if host, ok := strings.CutSuffix(key.Host, defaultPort(key.Secure)); ok && strings.HasSuffix(host, ":") {
		key.Host = host[:len(host)-1]
	}
	if t.Proxy == nil {
		return key, nil
	}
	via, err := t.Proxy(req)
	if err != nil || via == nil {
		return key, err
	}
	key.Via = via.String()
	if !key.Secure && key.Version == httpclient.HTTP1 && (via.Scheme == "http" || via.Scheme == "https") {
		key.Host = "" // the proxy forwards to any host
	}
	return key, nil
}

func defaultPort(secure bool) string {
	if secure {
		return "443"
	}
	return "80"
}

// hostAndPort returns the host and port of a URL in the form that dials and traces use.
func hostAndPort(u *url.URL) string {
	host, port, err := hostPort(u, defaultPort(u.Scheme == "https"))
	if err != nil {
		return u.Host
	}
	return net.JoinHostPort(host, port)
}

// open implements httpclient.Config.Open.
func (t *Transport) open(ctx context.Context, key httpclient.Key) (o httpclient.Opened, err error) {
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
func (t *Transport) negotiated(o httpclient.Opened, key httpclient.Key, target *dial.Target) (httpclient.Opened, error) {
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
func (t *Transport) dial(ctx context.Context, network, addr string) (net.Conn, error) {
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

func (t *Transport) dialsTLS() bool { return t.DialTLS != nil || t.DialTLSContext != nil }

// dialTLS opens a connection with the user's function for TLS. It completes the handshake if the function has not.
func (t *Transport) dialTLS(ctx context.Context, network, addr string) (nc net.Conn, err error) {
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
func (t *Transport) handshake(ctx context.Context, tc *tls.Conn) error {
	if t.TLSHandshakeTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, t.TLSHandshakeTimeout, errTLSTimeout)
		defer cancel()
	}
	return t.traceHandshake(ctx, tc)
}

// traceHandshake does a TLS handshake and reports it to the trace in ctx.
func (t *Transport) traceHandshake(ctx context.Context, tc *tls.Conn) error {
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

// hostPort returns the host of a URL in ASCII, and its port, or port if it has none.
func hostPort(u *url.URL, port string) (string, string, error) {
	host, err := dial.ASCII(u.Hostname())
	if err != nil {
		return "", "", err
	}
	if p := u.Port(); p != "" {
		port = p
	}
	return host, port, nil
}

// asciiHost returns hostport with the host in ASCII, as protocols need it.
func asciiHost(hostport string) string {
	for i := range len(hostport) {
		if hostport[i] >= 0x80 {
			return convertHost(hostport)
		}
	}
	return hostport
}

// lowerHost returns hostport in ASCII and in lower case.
func lowerHost(hostport string) string {
	for i := range len(hostport) {
		if c := hostport[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			return strings.ToLower(asciiHost(hostport))
		}
	}
	return hostport
}

func convertHost(hostport string) string {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		host, port = hostport, ""
	}
	if host, err = dial.ASCII(host); err != nil {
		return hostport // which is refused later
	}
	if port != "" {
		return net.JoinHostPort(host, port)
	}
	return host
}
