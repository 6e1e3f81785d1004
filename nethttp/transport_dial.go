package nethttp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/internal/dial"
	"github.com/shockwave-go/shockwave/internal/h2client"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// errHTTP1 is for servers that do not choose HTTP/2.
var errHTTP1 = errors.New("nethttp: the server does not speak HTTP/2 over TLS, and Transport speaks no HTTP/1.1")

// errTLSTimeout is http.Transport's, which is a net.Error.
var errTLSTimeout error = timeoutError("net/http: TLS handshake timeout")

// errHeaderTimeout is http.Transport's, which is a net.Error.
var errHeaderTimeout error = timeoutError("net/http: timeout awaiting response headers")

// timeoutError is an error that is a timeout to net.Error's users.
type timeoutError string

func (e timeoutError) Error() string   { return string(e) }
func (e timeoutError) Timeout() bool   { return true }
func (e timeoutError) Temporary() bool { return true }
func (e timeoutError) Is(err error) bool {
	return err == context.DeadlineExceeded
}

// key returns what connections a request can use.
func (t *Transport) key(req *http.Request) (key h2client.Key, err error) {
	u := req.URL
	key = h2client.Key{Secure: u.Scheme == "https", Host: u.Host}
	port := ":80"
	if key.Secure {
		port = ":443"
	}
	key.Host = strings.TrimSuffix(key.Host, port)
	for i := range len(key.Host) {
		if c := key.Host[i]; 'A' <= c && c <= 'Z' {
			key.Host = strings.ToLower(key.Host)
			break
		}
	}
	if t.Proxy == nil {
		return key, nil
	}
	via, err := t.Proxy(req)
	if err != nil || via == nil {
		return key, err
	}
	key.Via = via.String()
	return key, nil
}

// dial opens a connection, for the pool.
func (t *Transport) dial(ctx context.Context, key h2client.Key) (*h2client.Conn, error) {
	target, err := t.target(key)
	if err != nil {
		return nil, err
	}
	nc, ahead, err := t.reach(ctx, target)
	if err != nil {
		return nil, err
	}
	var state *tls.ConnectionState
	if tc, ok := nc.(*tls.Conn); ok && key.Secure {
		cs := tc.ConnectionState()
		if state = &cs; cs.NegotiatedProtocol != h2 {
			nc.Close()
			return nil, errHTTP1
		}
	}
	c, err := h2client.New(t.engine, nc, ahead, &t.cfg, state, t.pool.Gone)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// reach dials, and bounds and tells of the TLS handshake.
func (t *Transport) reach(ctx context.Context, target *dial.Target) (net.Conn, []byte, error) {
	if target.TLS == nil {
		return target.Dial(ctx)
	}
	trace := httptrace.ContextClientTrace(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var timer *time.Timer
	begun := false
	secure := func(nc net.Conn, cfg *tls.Config) *tls.Conn {
		if begun = true; trace != nil && trace.TLSHandshakeStart != nil {
			trace.TLSHandshakeStart()
		}
		if t.TLSHandshakeTimeout > 0 {
			timer = time.AfterFunc(t.TLSHandshakeTimeout, func() { cancel(errTLSTimeout) })
		}
		if _, nested := nc.(*tls.Conn); nested {
			return tls.Client(nc, cfg)
		}
		return netconn.TLSClient(nc, cfg)
	}
	target.Secure = secure
	nc, ahead, err := target.Dial(ctx)
	if timer != nil {
		timer.Stop()
	}
	switch {
	case err != nil && context.Cause(ctx) == errTLSTimeout:
		err = errTLSTimeout
	case err != nil && begun && strings.Contains(err.Error(), "no application protocol"):
		err = fmt.Errorf("%w (%w)", errHTTP1, err)
	}
	if begun && trace != nil && trace.TLSHandshakeDone != nil {
		var state tls.ConnectionState
		if tc, ok := nc.(*tls.Conn); ok {
			state = tc.ConnectionState()
		}
		trace.TLSHandshakeDone(state, err)
	}
	return nc, ahead, err
}

// target is where a key leads.
func (t *Transport) target(key h2client.Key) (*dial.Target, error) {
	target := &dial.Target{Net: t.DialContext}
	port := "80"
	if key.Secure {
		port = "443"
		target.TLS = t.tlsConfig()
	}
	var err error
	target.Host, target.Port, err = hostPort(&url.URL{Host: key.Host}, port)
	if err != nil || key.Via == "" {
		return target, err
	}
	target.Proxy, err = t.proxy(key.Via)
	return target, err
}

// tlsConfig is what is offered.
func (t *Transport) tlsConfig() *tls.Config {
	cfg := t.TLSClientConfig.Clone()
	if cfg == nil {
		cfg = new(tls.Config)
	}
	cfg.NextProtos = []string{h2}
	return cfg
}

// proxy reads a proxy's URL.
func (t *Transport) proxy(via string) (*dial.Proxy, error) {
	u, err := url.Parse(via)
	if err != nil {
		return nil, err
	}
	p := &dial.Proxy{TLS: t.TLSClientConfig}
	port := "80"
	switch u.Scheme {
	case "http":
	case "https":
		p.Scheme, port = dial.HTTPS, "443"
	case "socks5", "socks5h":
		p.Scheme, port = dial.SOCKS5, "1080"
	default:
		return nil, fmt.Errorf("nethttp: a proxy with the scheme %q", u.Scheme)
	}
	if user := u.User; user != nil {
		password, _ := user.Password()
		p.Login = &dial.Login{User: user.Username(), Password: password}
	}
	p.Host, p.Port, err = hostPort(u, port)
	return p, err
}

// hostPort returns where a URL leads.
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
