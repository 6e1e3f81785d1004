package nethttp

import (
	"context"
	"crypto/tls"
	"maps"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/dial"
	"github.com/shockwave-go/shockwave/internal/httpclient"
)

// Transport is an http.RoundTripper over this module's HTTP/1.1 and HTTP/2, in the place of http.Transport: its fields and
// methods mean what those of http.Transport mean that have the same names, and where they differ it is said here. Which
// versions are spoken and how many connections there may be is decided when it is used first; the other fields are
// read when a request or a connection begins. It is not copied once it is used. All methods may be called concurrently.
//
// The zero Transport is ready to use. It speaks both versions over TLS, whichever the server chooses, and HTTP/1.1 without.
type Transport struct {
	// Proxy returns the proxy for a request: a URL with the scheme http, https, socks5 or socks5h, or nil for none.
	Proxy func(*http.Request) (*url.URL, error)
	// OnProxyConnectResponse is given a proxy's answer to CONNECT, whatever its status. Its error ends the request. What it
	// is given has no body.
	OnProxyConnectResponse func(ctx context.Context, proxyURL *url.URL, connectReq *http.Request, connectRes *http.Response) error
	// DialContext opens connections without TLS. Without it and Dial the addresses of a name are tried side by side (RFC
	// 8305), and where a name leads is kept for 30 s.
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error)
	// Dial is DialContext without a context.
	//
	// Deprecated: DialContext can be ended.
	Dial func(network, addr string) (net.Conn, error)
	// DialTLSContext opens connections with TLS, for https and to proxies whose scheme that is, in the place of
	// TLSClientConfig and TLSHandshakeTimeout. HTTP/2 is spoken if it returns a *tls.Conn whose handshake has chosen it.
	DialTLSContext func(ctx context.Context, network, addr string) (net.Conn, error)
	// DialTLS is DialTLSContext without a context.
	//
	// Deprecated: DialTLSContext can be ended.
	DialTLS func(network, addr string) (net.Conn, error)
	// TLSClientConfig is for https; it is not changed. Its NextProtos are offered besides the versions that are spoken.
	TLSClientConfig *tls.Config
	// TLSHandshakeTimeout bounds a handshake. Zero is none.
	TLSHandshakeTimeout time.Duration

	// DisableKeepAlives has each connection of HTTP/1.1 be used for one request.
	DisableKeepAlives bool
	// DisableCompression has a request ask for gzip only if its fields do; then the body is left as it came.
	DisableCompression bool
	// MaxIdleConns bounds the idle connections of HTTP/1.1. Zero is no bound.
	MaxIdleConns int
	// MaxIdleConnsPerHost bounds those to one host. Zero is http.DefaultMaxIdleConnsPerHost; negative keeps none.
	MaxIdleConnsPerHost int
	// MaxConnsPerHost bounds the connections to a host; requests wait for room beyond. Zero is no bound.
	MaxConnsPerHost int
	// IdleConnTimeout is after how long without requests a connection ends. Zero is never.
	IdleConnTimeout time.Duration
	// ResponseHeaderTimeout bounds the wait for a response's head, from the moment at which the request has been sent. Zero
	// is none.
	ResponseHeaderTimeout time.Duration
	// ExpectContinueTimeout is how long the body of a request with "Expect: 100-continue" waits for the server to ask for
	// it. Zero sends it at once.
	ExpectContinueTimeout time.Duration

	// TLSNextProto has functions that take connections over whose TLS has chosen a protocol. If it is not nil, and
	// Protocols is, HTTP/2 is not spoken.
	TLSNextProto map[string]func(authority string, c *tls.Conn) http.RoundTripper
	// ProxyConnectHeader has further fields for CONNECT. They are not changed.
	ProxyConnectHeader http.Header
	// GetProxyConnectHeader returns them for one connection, to ip:port target. Its error is the request's.
	GetProxyConnectHeader func(ctx context.Context, proxyURL *url.URL, target string) (http.Header, error)

	// MaxResponseHeaderBytes bounds a response's head, of HTTP/2 as RFC 9113 §6.5.2 counts it. Zero is 10 MiB for HTTP/1.1,
	// and 1 MiB for HTTP/2.
	MaxResponseHeaderBytes int64
	// WriteBufferSize is not used: what is to be sent is written in one piece.
	WriteBufferSize int
	// ReadBufferSize is how much is read at once to begin with. Zero is 4 KiB.
	ReadBufferSize int

	// ForceAttemptHTTP2 has HTTP/2 be spoken although TLSClientConfig or a function that dials is set.
	ForceAttemptHTTP2 bool
	// HTTP2 is for HTTP/2 itself; nil is the defaults. MaxConcurrentStreams and PermitProhibitedCipherSuites are not used:
	// servers open no streams, and whatever suite a server has chosen is taken. CountError is called as a Server's, and with
	// recv_rststream_ or recv_goaway_ and the code when a server says that it ends a stream, or the connection for an error.
	HTTP2 *http.HTTP2Config
	// Protocols says what is spoken. Nil is HTTP1, and HTTP2 as http.Transport has it. UnencryptedHTTP2 without HTTP1 is for
	// http, with prior knowledge (RFC 9113 §3.3).
	Protocols *http.Protocols

	once      sync.Once
	versions  enabledVersions
	dialer    dial.Dialer
	client    *httpclient.Client
	calls     sync.Pool
	alt       atomic.Pointer[map[string]http.RoundTripper] // RegisterProtocol's; changed under mu
	nextProto nextProtoTrippers

	mu      sync.Mutex
	running *reply // the first of the requests under way
}

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

// CloseIdleConnections ends the connections that have no requests.
func (t *Transport) CloseIdleConnections() {
	t.once.Do(t.init)
	t.client.CloseIdle()
	t.nextProto.closeIdle()
}

// Close ends all connections now; requests that are under way fail, and later ones, too. http.Transport has nothing like
// it: to end what is idle CloseIdleConnections is enough.
func (t *Transport) Close() error {
	t.once.Do(t.init)
	t.nextProto.closeIdle()
	return t.client.Close()
}
