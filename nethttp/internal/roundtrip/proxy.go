package roundtrip

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/join/dial"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
	"github.com/shockwave-go/shockwave/nethttp/internal/headermap"
)

// openVia opens a connection to target through a proxy, or only to the proxy if it forwards requests.
func (t opener) openVia(ctx context.Context, key httpclient.Key, target *dial.Target) (o httpclient.Opened, err error) {
	u, err := url.Parse(key.Via)
	if err != nil {
		return o, err
	}
	p, err := t.parseProxy(u)
	if err != nil {
		return o, err
	}
	target.Proxy = p
	c := &proxyConnect{t: t, url: u, target: net.JoinHostPort(target.Host, target.Port)}
	ctx, c.cancel = context.WithCancelCause(ctx)
	defer c.cancel(nil)
	target.Net, target.Handshake = c.dialProxy, c.handshake
	if p.Scheme == dial.HTTPS {
		if t.dialsTLS() {
			p.Scheme = dial.HTTP // the user's function dials with TLS
		} else {
			c.tlsToProxy = true
		}
	}
	if key.Host == "" {
		o.ToProxy = true
		o.Conn, err = target.DialProxy(ctx)
		return o, err
	}
	if p.Scheme != dial.SOCKS5 {
		if err = c.prepare(ctx, p); err != nil {
			return o, err
		}
	}
	o.Conn, o.Buffered, err = target.Dial(ctx)
	return o, c.dialError(ctx, err)
}

// parseProxy returns the proxy for the URL u.
func (t opener) parseProxy(u *url.URL) (*dial.Proxy, error) {
	p, err := dial.ParseProxy(u.Scheme, u.Hostname(), u.Port(), u.User)
	if err != nil {
		return nil, fmt.Errorf("nethttp: proxy: %w", err)
	}
	p.TLS = t.TLSClientConfig
	return p, nil
}

// proxyConnect is one attempt to connect through a proxy.
type proxyConnect struct {
	t          opener
	url        *url.URL
	target     string
	tlsToProxy bool // the next handshake is the one with the proxy
	cancel     context.CancelCauseFunc
	timeout    *time.Timer // cancels after connectTimeout
	fields     http.Header // of the CONNECT request
}

// connectTimeout bounds the wait for a proxy's response to CONNECT.
const connectTimeout = time.Minute

// dialProxy opens the connection to the proxy.
func (c *proxyConnect) dialProxy(ctx context.Context, network, addr string) (nc net.Conn, err error) {
	if c.url.Scheme == "https" && c.t.dialsTLS() {
		nc, err = c.t.dialTLS(ctx, network, addr)
	} else {
		nc, err = c.t.dial(ctx, network, addr)
	}
	if err != nil {
		return nil, proxyDialError(err)
	}
	c.timeout = time.AfterFunc(connectTimeout, func() { c.cancel(context.DeadlineExceeded) })
	return nc, nil
}

// proxyDialError returns the error for a failed dial to a proxy, in the form of http.Transport's.
func proxyDialError(err error) error { return &net.OpError{Op: "proxyconnect", Net: "tcp", Err: err} }

// handshake does the TLS handshake with the proxy, if there is one, and then the one with the server.
func (c *proxyConnect) handshake(ctx context.Context, tc *tls.Conn) error {
	if !c.tlsToProxy {
		c.timeout.Stop()
		return c.t.handshake(ctx, tc)
	}
	c.tlsToProxy = false
	if err := c.t.handshake(ctx, tc); err != nil {
		return proxyDialError(err)
	}
	return nil
}

// prepare sets the fields of the CONNECT request, and the function that is called with its response.
func (c *proxyConnect) prepare(ctx context.Context, p *dial.Proxy) (err error) {
	fields := c.t.ProxyConnectHeader
	if get := c.t.GetProxyConnectHeader; get != nil {
		if fields, err = get(ctx, c.url, c.target); err != nil {
			return err
		}
	}
	c.fields = fields.Clone()
	if c.fields == nil {
		c.fields = http.Header{}
	}
	if p.Login != nil {
		c.fields.Set("Proxy-Authorization", dial.Basic(p.Login.User, p.Login.Password))
	}
	p.Header = new(shockwave.Header)
	if _, ok := c.fields["User-Agent"]; !ok {
		p.Header.Add("User-Agent", userAgent1)
	}
	for name, values := range c.fields {
		switch headermap.CanonicalKey(name) {
		case "Host", "Content-Length", "Transfer-Encoding", "Trailer":
			continue
		}
		for _, v := range values {
			p.Header.Add(name, ascii.TrimOWS(v))
		}
	}
	p.OnResponse = func(status int, h *shockwave.Header) error { return c.onResponse(ctx, status, h) }
	return nil
}

// onResponse calls OnProxyConnectResponse with the proxy's response to CONNECT.
func (c *proxyConnect) onResponse(ctx context.Context, status int, h *shockwave.Header) error {
	c.timeout.Stop()
	hook := c.t.OnProxyConnectResponse
	if hook == nil {
		return nil
	}
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: c.target}, Host: c.target, Header: c.fields}
	text, values := headermap.KeepHead(h.Bytes(), h.Len())
	header, _ := headermap.MakeHeader(h, text, values, "")
	resp := &http.Response{
		StatusCode: status, Status: statusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, ContentLength: -1, Body: http.NoBody, Request: req,
	}
	return hook(ctx, c.url, req, resp)
}

// dialError returns the error for a dial through the proxy that has failed with err. If the proxy has refused, it is
// the proxy's reason phrase, as with http.Transport.
func (c *proxyConnect) dialError(ctx context.Context, err error) error {
	if c.timeout != nil {
		c.timeout.Stop()
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var refused *dial.ProxyError
	if !errors.As(err, &refused) || refused.Status == 0 {
		return err
	}
	words := strings.TrimPrefix(refused.Msg, "it answered ")
	if _, reason, ok := strings.Cut(words, " "); ok {
		return errors.New(reason)
	}
	return errors.New("unknown status code")
}
