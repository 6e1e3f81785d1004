package roundtrip

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Proxy is Transport.Proxy.
type Proxy func(*http.Request) (*url.URL, error)

// Options are the fields of a Transport that are read when a request begins.
type Options struct {
	Proxy                 Proxy
	DisableKeepAlives     bool
	DisableCompression    bool
	NextProtos            bool // TLSNextProto is not empty
	ResponseHeaderTimeout time.Duration
	ExpectContinueTimeout time.Duration
}

// Settings are the fields of a Transport that are read when a connection is opened or when the Engine is initialised.
type Settings struct {
	OnProxyConnectResponse func(ctx context.Context, proxyURL *url.URL, connectReq *http.Request, connectRes *http.Response) error
	DialContext            func(ctx context.Context, network, addr string) (net.Conn, error)
	Dial                   func(network, addr string) (net.Conn, error)
	DialTLSContext         func(ctx context.Context, network, addr string) (net.Conn, error)
	DialTLS                func(network, addr string) (net.Conn, error)
	TLSClientConfig        *tls.Config
	TLSHandshakeTimeout    time.Duration
	MaxIdleConns           int
	MaxIdleConnsPerHost    int
	MaxConnsPerHost        int
	IdleConnTimeout        time.Duration
	TLSNextProto           map[string]func(authority string, c *tls.Conn) http.RoundTripper
	ProxyConnectHeader     http.Header
	GetProxyConnectHeader  func(ctx context.Context, proxyURL *url.URL, target string) (http.Header, error)
	MaxResponseHeaderBytes int64
	ReadBufferSize         int
	ForceAttemptHTTP2      bool
	HTTP2                  *http.HTTP2Config
	HTTP2Budget            int32
	HTTP3                  http.RoundTripper
	Protocols              *http.Protocols
}
