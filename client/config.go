package client

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/defaults"
)

// Config configures a Client. A zero field means the documented default. A negative limit or duration means no limit.
type Config struct {
	MaxConnsPerHost     int           // to one scheme, host and port; further requests wait in order; default 512
	MaxConns            int           // in all; default no limit
	MaxIdleConnsPerHost int           // of HTTP/1.1, to one host; default no limit beyond MaxConnsPerHost
	MaxIdleConns        int           // of HTTP/1.1 in all; beyond it the one idle for longest is closed; default 4096
	IdleTimeout         time.Duration // after which an idle connection is closed; default 90 s
	MaxConnLifetime     time.Duration // after which a connection takes no more requests; default no limit
	DisableKeepAlive    bool          // use each connection for one request only

	WaitTimeout         time.Duration // for a connection, including the time to open one; default 30 s
	DialTimeout         time.Duration // for the name lookup, TCP and the proxy, but not TLS; default 10 s
	TLSHandshakeTimeout time.Duration // for the TLS handshake; default 10 s
	HeadTimeout         time.Duration // from the end of the request until the response's head; default 60 s
	BodyTimeout         time.Duration // for the next byte of the response's body; default 60 s
	ContinueTimeout     time.Duration // for 100 Continue; the body is sent when it has passed; default 1 s
	Timeout             time.Duration // for a request from Do until Close, including redirects and retries; default no limit

	MaxHeadBytes  int   // in a response; default 64 KiB
	MaxHeadFields int   // in a response; default 200
	MaxBodyBytes  int64 // in a response, decompressed; default none for Body, 64 MiB for AppendBody; negative: none for both

	// MaxInflated and MaxInflateRatio bound the size of a decompressed body: in bytes, default 1 GiB, and as a multiple of
	// the received bytes, default 1000. The ratio does not apply to the first 16 MiB.
	MaxInflated          int64
	MaxInflateRatio      int
	DisableDecompression bool // send no Accept-Encoding, and leave bodies as they are

	// MaxRedirects is how many redirects of a request are followed; one more is an error. Default 10. If it is negative no
	// redirect is followed, and Do returns the response that redirects.
	MaxRedirects int
	// OnRedirect, if set, is called before a redirect is followed. If it returns http.ErrUseLastResponse Do returns the
	// response that redirects; with any other error the request fails. h is only valid until OnRedirect returns.
	OnRedirect func(status int, h *Header, method, to string) error
	// Retry says which failed requests are sent again. Default: only requests that the server has not processed because
	// the connection had ended before.
	Retry Retry

	// UserAgent is sent as User-Agent; default "shockwave". To send none set an empty User-Agent in the request.
	UserAgent string
	// Jar keeps cookies. They are sent after those of a request's own Cookie field. As in net/http's client, a cookie of
	// that field is left out after a redirect if a server has set a cookie of the same name since. Default: no cookies are
	// kept.
	Jar http.CookieJar
	// Proxy returns the proxy for a target, of which only scheme and host are set. The proxy is a URL with the scheme
	// http, https, socks5 or socks5h, or nil for none. Default: the environment variables HTTP_PROXY, HTTPS_PROXY and
	// NO_PROXY, as in net/http.
	Proxy func(target *url.URL) (*url.URL, error)
	// DisableProxy disables all proxies.
	DisableProxy bool
	// NetDial opens connections to servers and proxies. It must return when ctx is done. ctx has the values of the context of
	// a request. Default: the addresses of both families are tried side by side (RFC 8305), and the resolver's answers are
	// kept for 30 s.
	NetDial func(ctx context.Context, network, addr string) (net.Conn, error)
	// TLSConfig is the configuration for https. It is copied. Its NextProtos are ignored; see Protocols. Default: a zero
	// tls.Config.
	TLSConfig *tls.Config

	// Protocols is the set of versions of HTTP that are spoken over TCP. With HTTP1 and HTTP2 the server chooses in the TLS
	// handshake. An http URL means HTTP/1.1 if HTTP1 is in the set, otherwise HTTP/2 by prior knowledge (RFC 9113 §3.3) if
	// UnencryptedHTTP2 is. If it has neither HTTP1 nor HTTP2, and HTTP3 is set, https means HTTP/3 by prior knowledge.
	// Default: HTTP1 and HTTP2.
	Protocols *http.Protocols
	// Protocol says which versions are spoken if Protocols is nil.
	//
	// Deprecated: use Protocols.
	Protocol Protocol
	// HTTP3, if set, is what speaks HTTP/3. It must be an *http3.Transport, which makes and keeps connections for this Client
	// alone; with anything else each request fails. An https request without proxy is sent over HTTP/3 if its server has offered
	// that in an Alt-Svc field (RFC 7838) or in the domain name system. The Client opens such a connection beside one of TCP, and
	// a request waits for it for at most 250 ms. Where it cannot be opened it is tried again after a minute, later after a time
	// that doubles up to a day. The limits of connections do not count it.
	HTTP3 http.RoundTripper

	// PingInterval is how long a server may be silent on a connection of HTTP/2 that has requests before it is sent a PING.
	// Default: 30 s, and 5 minutes if it has sent no part of a response since the last PING, because servers of gRPC end the
	// connections of clients that send more. If one says that (too_many_pings), the next connections to it wait for twice as
	// long. Negative: no PING is sent.
	PingInterval time.Duration
	// PingTimeout is how long the answer to a PING may take before the connection is closed; default 15 s.
	PingTimeout time.Duration
	// HTTP2Budget is how much work without progress a server of HTTP/2 may cause before its connection ends, in units;
	// default 900, a negative value is no limit. http2.Config.Budget says more.
	HTTP2Budget int32

	// Trace is called for requests that have no Trace of their own.
	Trace *Trace
}

// Protocol says which versions of HTTP a Client speaks.
//
// Deprecated: use Config.Protocols.
type Protocol uint8

// The values of Protocol.
//
// Deprecated: use Config.Protocols.
const (
	Any   Protocol = iota // HTTP/2 if the server chooses it in the TLS handshake, else HTTP/1.1; see also Config.HTTP3
	HTTP1                 // HTTP/1.1
	HTTP2                 // HTTP/2; without TLS by prior knowledge (RFC 9113 §3.3)
	HTTP3                 // HTTP/3, by prior knowledge; Config.HTTP3 must be set
)

// Defaults of Config.
const (
	defaultPerHost    = 512
	defaultIdle       = 4096
	defaultHeadBytes  = 64 << 10
	defaultHeadFields = 200
	defaultAgent      = "shockwave"
	defaultPing       = 30 * time.Second
	defaultRedirects  = 10       // net/http's Client fails at its tenth redirect; this one follows it
	defaultAppend     = 64 << 20 // largest body that AppendBody collects
)

// DefaultConfig returns a Config in which the defaults are filled in.
func DefaultConfig() Config { return Config{}.withDefaults() }

// withDefaults returns cfg with each zero number replaced by its default.
func (cfg Config) withDefaults() Config {
	defaults.Set(&cfg.MaxConnsPerHost, defaultPerHost)
	defaults.Set(&cfg.MaxIdleConns, defaultIdle)
	defaults.Set(&cfg.IdleTimeout, 90*time.Second)
	defaults.Set(&cfg.WaitTimeout, 30*time.Second)
	defaults.Set(&cfg.DialTimeout, 10*time.Second)
	defaults.Set(&cfg.TLSHandshakeTimeout, 10*time.Second)
	defaults.Set(&cfg.HeadTimeout, 60*time.Second)
	defaults.Set(&cfg.BodyTimeout, 60*time.Second)
	defaults.Set(&cfg.ContinueTimeout, time.Second)
	defaults.Set(&cfg.MaxHeadBytes, defaultHeadBytes)
	defaults.Set(&cfg.MaxHeadFields, defaultHeadFields)
	defaults.Set(&cfg.MaxRedirects, defaultRedirects)
	defaults.Set(&cfg.UserAgent, defaultAgent)
	defaults.Set(&cfg.PingInterval, defaultPing)
	defaults.Set(&cfg.PingTimeout, 15*time.Second)
	cfg.Retry = cfg.Retry.withDefaults()
	return cfg
}
