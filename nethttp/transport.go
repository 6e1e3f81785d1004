package nethttp

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/h2client"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// Transport is an http.RoundTripper over this module's HTTP/2, for https and, without TLS, for http. Its fields mean what
// those of http.Transport mean that have the same names; they are set before it is used, and it is not copied
// afterwards. All methods may be called concurrently. It does not speak HTTP/1.1: see RoundTrip.
type Transport struct {
	// Proxy returns the proxy for a request: a URL with the scheme http, https, socks5 or socks5h, or nil for none. All of
	// them are asked for a tunnel, also for http. Nil is no proxy.
	Proxy func(*http.Request) (*url.URL, error)
	// DialContext opens connections; nil is a net.Dialer's.
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error)
	// TLSClientConfig is for https; it is not changed. Its NextProtos are not used: "h2" is offered.
	TLSClientConfig *tls.Config
	// TLSHandshakeTimeout bounds a handshake. Zero is none.
	TLSHandshakeTimeout time.Duration
	// DisableCompression has a request ask for gzip only if its fields do; then the body is left as it came.
	DisableCompression bool
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
	// MaxResponseHeaderBytes bounds a response's head as RFC 9113 §6.5.2 counts it. Zero is 1 MiB.
	MaxResponseHeaderBytes int64
	// HTTP2 is for HTTP/2 itself; nil is the defaults. MaxConcurrentStreams, PermitProhibitedCipherSuites and CountError
	// are not used.
	HTTP2 *http.HTTP2Config
	// Protocols says what is spoken. Nil is HTTP2. UnencryptedHTTP2 is for http, with prior knowledge (RFC 9113 §3.3).
	Protocols *http.Protocols

	once   sync.Once
	engine *netconn.Engine
	pool   h2client.Pool
	cfg    h2client.Config
	calls  sync.Pool
}

// engineConfig is how connections are run.
func (t *Transport) engineConfig() netconn.Config {
	cfg := netconn.Config{
		IdleTimeout:    -1, // connections with and without requests are looked after in h2client
		MessageTimeout: -1, // what has begun to arrive: the time of each request is bounded by its context
	}
	if t.HTTP2 != nil {
		cfg.WriteTimeout = t.HTTP2.WriteByteTimeout
	}
	return cfg
}

// init makes what connections need.
func (t *Transport) init() {
	t.engine = netconn.New(t.engineConfig())
	t.cfg = t.clientConfig()
	t.cfg.Wire = *t.cfg.Wire.Complete()
	t.pool.Dial = t.dial
	t.pool.MaxConns = t.MaxConnsPerHost
	t.pool.Strict = t.HTTP2 != nil && t.HTTP2.StrictMaxConcurrentRequests
}

// What servers are granted unless HTTP2 says otherwise.
const (
	maxResponseHead   = 1 << 20 // bytes
	maxResponseFields = 2000
	streamWindow      = 4 << 20 // bytes, to which a window grows if the path needs it
	connWindow        = 1 << 30 // bytes: what streams hold is bounded by their own windows
)

// clientConfig is HTTP2 and others in the words of h2client.
func (t *Transport) clientConfig() h2client.Config {
	cfg := h2client.Config{
		IdleTimeout: t.IdleConnTimeout,
		Wire: http2.Config{
			MaxHeaderList: maxResponseHead, MaxFields: maxResponseFields,
			StallTimeout: -1, // contexts bound that
			MaxWindow:    streamWindow, ConnWindow: connWindow, MaxConnWindow: connWindow,
		},
	}
	if n := t.MaxResponseHeaderBytes; n > 0 {
		cfg.Wire.MaxHeaderList = uint32(min(n, 16<<20))
	}
	h := t.HTTP2
	if h == nil {
		return cfg
	}
	cfg.PingAfter, cfg.PingTimeout = h.SendPingTimeout, h.PingTimeout
	cfg.Wire.MaxFrameSize = uint32(max(h.MaxReadFrameSize, 0))
	cfg.Wire.DecoderTable = uint32(max(h.MaxDecoderHeaderTableSize, 0))
	cfg.Wire.EncoderTable = uint32(max(h.MaxEncoderHeaderTableSize, 0))
	if n := h.MaxReceiveBufferPerConnection; n >= 64<<10 {
		cfg.Wire.ConnWindow, cfg.Wire.MaxConnWindow = 0, uint32(n)
	}
	if n := h.MaxReceiveBufferPerStream; n > 0 {
		cfg.Wire.MaxWindow = uint32(n)
		cfg.Wire.InitialWindow = uint32(min(n, 1<<16-1))
	}
	return cfg
}

// CloseIdleConnections ends the connections that have no requests.
func (t *Transport) CloseIdleConnections() {
	t.once.Do(t.init)
	t.pool.CloseIdle()
}

// Close ends all connections now; requests that are under way fail, and later ones, too. http.Transport has nothing like
// it: to end what is idle CloseIdleConnections is enough.
func (t *Transport) Close() error {
	t.once.Do(t.init)
	t.pool.Close()
	return t.engine.Close()
}
