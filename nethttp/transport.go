package nethttp

import (
	"context"
	"crypto/tls"
	"maps"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/nethttp/internal/roundtrip"
)

// Transport is an http.RoundTripper over this module's HTTP/1.1 and HTTP/2, to be used in place of http.Transport.
// Fields and methods mean what those of http.Transport with the same names mean; differences are stated here. The
// versions to speak and the limits on connections are taken from the fields at the first use; the other fields are
// read when a request or a connection begins. A Transport must not be copied after its first use. All methods may be
// called concurrently.
//
// The zero Transport is ready to use. Over TLS it speaks the version that the server chooses, without TLS HTTP/1.1.
type Transport struct {
	// Proxy returns the proxy for a request: a URL with the scheme http, https, socks5 or socks5h, or nil for no
	// proxy.
	Proxy func(*http.Request) (*url.URL, error)
	// OnProxyConnectResponse is called with a proxy's response to CONNECT, whatever its status. If it returns an
	// error, the request fails with it. connectRes has no body.
	OnProxyConnectResponse func(ctx context.Context, proxyURL *url.URL, connectReq *http.Request, connectRes *http.Response) error
	// DialContext opens connections without TLS. If neither it nor Dial is set, the Transport tries the addresses of
	// a name side by side (RFC 8305) and remembers the result of a name lookup for 30 s.
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error)
	// Dial is like DialContext, without a context.
	//
	// Deprecated: use DialContext, which can be canceled.
	Dial func(network, addr string) (net.Conn, error)
	// DialTLSContext opens connections with TLS, to https servers and to https proxies. TLSClientConfig and
	// TLSHandshakeTimeout are not used then. HTTP/2 is spoken if it returns a *tls.Conn whose handshake has
	// negotiated it.
	DialTLSContext func(ctx context.Context, network, addr string) (net.Conn, error)
	// DialTLS is like DialTLSContext, without a context.
	//
	// Deprecated: use DialTLSContext, which can be canceled.
	DialTLS func(network, addr string) (net.Conn, error)
	// TLSClientConfig is used for https; it is not changed. Its NextProtos are offered in addition to the versions to
	// speak.
	TLSClientConfig *tls.Config
	// TLSHandshakeTimeout bounds a handshake. Zero means no limit.
	TLSHandshakeTimeout time.Duration

	// DisableKeepAlives makes the Transport use each HTTP/1.1 connection for one request only.
	DisableKeepAlives bool
	// DisableCompression stops the Transport from asking for gzip on its own. The body of a request that asks for
	// gzip itself is never decompressed.
	DisableCompression bool
	// MaxIdleConns bounds the number of idle HTTP/1.1 connections. Zero means no limit.
	MaxIdleConns int
	// MaxIdleConnsPerHost bounds the idle HTTP/1.1 connections to one host. Zero means
	// http.DefaultMaxIdleConnsPerHost; a negative value keeps none.
	MaxIdleConnsPerHost int
	// MaxConnsPerHost bounds the connections to one host; further requests wait. Zero means no limit.
	MaxConnsPerHost int
	// IdleConnTimeout is how long a connection without requests is kept. Zero means for ever.
	IdleConnTimeout time.Duration
	// ResponseHeaderTimeout bounds the wait for a response's head, from the time at which the request has been sent.
	// Zero means no limit.
	ResponseHeaderTimeout time.Duration
	// ExpectContinueTimeout is how long a request with "Expect: 100-continue" waits for the server to ask for its
	// body. Zero means that the body is sent at once.
	ExpectContinueTimeout time.Duration

	// TLSNextProto holds functions that take over a connection on which TLS has negotiated a protocol, by its name.
	// If it is not nil and Protocols is nil, HTTP/2 is not spoken.
	TLSNextProto map[string]func(authority string, c *tls.Conn) http.RoundTripper
	// ProxyConnectHeader holds additional fields for CONNECT requests. It is not changed.
	ProxyConnectHeader http.Header
	// GetProxyConnectHeader, if set, returns these fields for a CONNECT to target, an ip:port, in place of
	// ProxyConnectHeader. If it returns an error, the request fails with it.
	GetProxyConnectHeader func(ctx context.Context, proxyURL *url.URL, target string) (http.Header, error)

	// MaxResponseHeaderBytes bounds the size of a response's head; for HTTP/2 it is counted as in RFC 9113 §6.5.2.
	// Zero means 10 MiB for HTTP/1.1 and 1 MiB for HTTP/2.
	MaxResponseHeaderBytes int64
	// WriteBufferSize is not used: pending output is written in one piece.
	WriteBufferSize int
	// ReadBufferSize is the initial size of a connection's read buffer. Zero means 4 KiB.
	ReadBufferSize int

	// ForceAttemptHTTP2 enables HTTP/2 even if TLSClientConfig or a dial function is set.
	ForceAttemptHTTP2 bool
	// HTTP2 configures HTTP/2; nil means the defaults. MaxConcurrentStreams and PermitProhibitedCipherSuites are not
	// used: servers open no streams, and any cipher suite that a server chooses is accepted. CountError is called
	// with the same names as a Server's, and with recv_rststream_ or recv_goaway_ and the error code when a server
	// resets a stream, or ends the connection with an error.
	HTTP2 *http.HTTP2Config
	// HTTP2Budget is how much work without progress a server of HTTP/2 may cause before its connection ends; zero means
	// 900, a negative value is no limit. http2.Config.Budget says more.
	HTTP2Budget int32
	// HTTP3, if set, is what speaks HTTP/3. It must be an *http3.Transport, which makes and keeps connections for this Transport
	// alone; with anything else each request fails.
	// An https request without proxy is sent over HTTP/3 if its server has offered that in an Alt-Svc field (RFC 7838) or in the
	// domain name system. The Transport opens such a connection beside one of TCP, and a request waits for it for at most 250 ms.
	// Where it cannot be opened it is tried again after a minute, later after a time that doubles up to a day.
	// MaxConnsPerHost does not count it. WebSockets, other upgrades and CONNECT use TCP.
	HTTP3 http.RoundTripper
	// Protocols is the set of versions to speak over TCP. Nil means HTTP/1.1, and HTTP/2 under the same conditions as in
	// http.Transport. UnencryptedHTTP2 without HTTP1 means HTTP/2 with prior knowledge for http URLs (RFC 9113 §3.3). If it has no version for https and HTTP3 is set,
	// https requests are sent over HTTP/3 by prior knowledge.
	Protocols *http.Protocols

	once   sync.Once
	engine roundtrip.Engine
}

// ready returns the engine, which the first call initialises.
func (t *Transport) ready() *roundtrip.Engine {
	t.once.Do(func() { t.engine.Init(t.settings, nil) })
	return &t.engine
}

// options returns the fields that are read when a request begins.
func (t *Transport) options() roundtrip.Options {
	return roundtrip.Options{
		Proxy: t.Proxy, DisableKeepAlives: t.DisableKeepAlives, DisableCompression: t.DisableCompression, NextProtos: len(t.TLSNextProto) > 0,
		ResponseHeaderTimeout: t.ResponseHeaderTimeout, ExpectContinueTimeout: t.ExpectContinueTimeout,
	}
}

// settings returns the fields that are read when a connection is opened.
func (t *Transport) settings() *roundtrip.Settings {
	return &roundtrip.Settings{
		OnProxyConnectResponse: t.OnProxyConnectResponse,
		DialContext:            t.DialContext,
		Dial:                   t.Dial,
		DialTLSContext:         t.DialTLSContext,
		DialTLS:                t.DialTLS,
		TLSClientConfig:        t.TLSClientConfig,
		TLSHandshakeTimeout:    t.TLSHandshakeTimeout,
		MaxIdleConns:           t.MaxIdleConns,
		MaxIdleConnsPerHost:    t.MaxIdleConnsPerHost,
		MaxConnsPerHost:        t.MaxConnsPerHost,
		IdleConnTimeout:        t.IdleConnTimeout,
		TLSNextProto:           t.TLSNextProto,
		ProxyConnectHeader:     t.ProxyConnectHeader,
		GetProxyConnectHeader:  t.GetProxyConnectHeader,
		MaxResponseHeaderBytes: t.MaxResponseHeaderBytes,
		ReadBufferSize:         t.ReadBufferSize,
		ForceAttemptHTTP2:      t.ForceAttemptHTTP2,
		HTTP2:                  t.HTTP2,
		HTTP2Budget:            t.HTTP2Budget,
		HTTP3:                  t.HTTP3,
		Protocols:              t.Protocols,
	}
}

// RoundTrip implements http.RoundTripper. A request that the server has not processed is sent again on another
// connection, if its body can be sent again.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	return t.ready().RoundTrip(req, t.options())
}

// RegisterProtocol makes rt handle the requests to URLs with the given scheme. If rt fails with
// http.ErrSkipAltProtocol, the Transport handles that request itself. RegisterProtocol panics if the scheme is
// registered already.
func (t *Transport) RegisterProtocol(scheme string, rt http.RoundTripper) {
	t.engine.RegisterProtocol(scheme, rt)
}

// CancelRequest cancels a request in progress, and closes its connection.
//
// Deprecated: use a context.
func (t *Transport) CancelRequest(req *http.Request) { t.engine.CancelRequest(req) }

// Clone returns a Transport with the same settings and connections of its own.
func (t *Transport) Clone() *Transport {
	c := &Transport{
		Proxy:                  t.Proxy,
		OnProxyConnectResponse: t.OnProxyConnectResponse,
		DialContext:            t.DialContext,
		Dial:                   t.Dial,
		DialTLSContext:         t.DialTLSContext,
		DialTLS:                t.DialTLS,
		TLSClientConfig:        t.TLSClientConfig.Clone(),
		TLSHandshakeTimeout:    t.TLSHandshakeTimeout,
		DisableKeepAlives:      t.DisableKeepAlives,
		DisableCompression:     t.DisableCompression,
		MaxIdleConns:           t.MaxIdleConns,
		MaxIdleConnsPerHost:    t.MaxIdleConnsPerHost,
		MaxConnsPerHost:        t.MaxConnsPerHost,
		IdleConnTimeout:        t.IdleConnTimeout,
		ResponseHeaderTimeout:  t.ResponseHeaderTimeout,
		ExpectContinueTimeout:  t.ExpectContinueTimeout,
		TLSNextProto:           maps.Clone(t.TLSNextProto),
		ProxyConnectHeader:     t.ProxyConnectHeader.Clone(),
		GetProxyConnectHeader:  t.GetProxyConnectHeader,
		MaxResponseHeaderBytes: t.MaxResponseHeaderBytes,
		WriteBufferSize:        t.WriteBufferSize,
		ReadBufferSize:         t.ReadBufferSize,
		ForceAttemptHTTP2:      t.ForceAttemptHTTP2,
		HTTP3:                  t.HTTP3,
		HTTP2Budget:            t.HTTP2Budget,
	}
	if t.HTTP2 != nil {
		h := *t.HTTP2
		c.HTTP2 = &h
	}
	if t.Protocols != nil {
		p := *t.Protocols
		c.Protocols = &p
	}
	return c
}

// CloseIdleConnections closes the connections that have no requests.
func (t *Transport) CloseIdleConnections() { t.ready().CloseIdle() }

// Close closes all connections; requests in progress and later ones fail. http.Transport has no such method:
// CloseIdleConnections is enough to close idle connections.
func (t *Transport) Close() error { return t.ready().Close() }
