package client

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/defaults"
	"github.com/shockwave-go/shockwave/internal/h1client"
	"github.com/shockwave-go/shockwave/internal/h2client"
	"github.com/shockwave-go/shockwave/internal/httpclient"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// Config is a client's settings. A zero field is the documented default, a negative limit or time is none.
type Config struct {
	MaxConnsPerHost     int           // to one scheme, host and port; more requests wait, in order; default 512
	MaxConns            int           // in all; default none
	MaxIdleConnsPerHost int           // of HTTP/1.1, kept without a request; default none beyond MaxConnsPerHost
	MaxIdleConns        int           // of HTTP/1.1, in all: the one idle for longest ends; default 4096
	IdleTimeout         time.Duration // until an idle connection ends; default 90 s
	MaxConnLifetime     time.Duration // until a connection takes no more requests; default none
	DisableKeepAlive    bool          // no connection is used again

	WaitTimeout      time.Duration // for a connection, opening one included; default 30 s
	DialTimeout      time.Duration // look-up, TCP and proxy, and not TLS; default 10 s
	HandshakeTimeout time.Duration // of TLS; default 10 s
	HeadTimeout      time.Duration // from the request's end until the response's head; default 60 s
	BodyTimeout      time.Duration // for the next byte of the response's body; default 60 s
	ContinueTimeout  time.Duration // for 100 Continue, then the body is sent without; default 1 s
	Timeout          time.Duration // of a request, from Do until Close, redirects and retries included; default none

	MaxHeadBytes  int   // of a response; default 64 KiB
	MaxHeadFields int   // of a response; default 200
	MaxBodyBytes  int64 // of a response, decoded; default none for Body, 64 MiB for AppendBody; negative is none for both

	// MaxInflated and MaxInflateRatio bound what a compressed body may become: in bytes, default 1 GiB, and in times of
	// what was received, of which the first 16 MiB are left out; default 1000.
	MaxInflated          int64
	MaxInflateRatio      int
	DisableDecompression bool // no Accept-Encoding is sent, and bodies are left as they are

	// MaxRedirects is how many redirects of a request are followed; beyond it fails. Default 10; if it is negative none is,
	// and the response is what Do returns.
	MaxRedirects int
	// OnRedirect, if set, is asked before a redirect is followed: an error ends the request with it, but for
	// http.ErrUseLastResponse, with which Do returns the response that redirects. h is valid until it returns.
	OnRedirect func(status int, h *Header, method, to string) error
	// Retry has requests sent again that have failed. Default: only those of which the server has not worked on are,
	// because the connection had ended before they could be seen.
	Retry Retry

	// UserAgent is sent as User-Agent; default "shockwave". To send none set an empty one in the request.
	UserAgent string
	// Jar keeps cookies, which are sent behind those of a request's own Cookie field. As with net/http's client those of
	// the latter are not sent behind a redirect that a server has set since. Default: none are kept.
	Jar http.CookieJar
	// Proxy returns the proxy for a target, of which scheme and host are set: a URL with the scheme http, https, socks5 or
	// socks5h, nil for none. Default: what the environment says (HTTP_PROXY, HTTPS_PROXY, NO_PROXY), as net/http does.
	Proxy func(target *url.URL) (*url.URL, error)
	// DisableProxy has no proxy used.
	DisableProxy bool
	// Dial opens connections to servers and proxies; it must return when ctx ends, which has the values of a request's.
	// Default: addresses of both families are tried side by side (RFC 8305), and answers of the resolver kept for 30 s.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// TLS is for https; it is copied. Its NextProtos are not used: see Protocol. Default: a zero one.
	TLS *tls.Config
	// Protocol is which versions of HTTP are spoken; default Any.
	Protocol Protocol
	// PingAfter is for how long a server may say nothing on a connection of HTTP/2 that has requests until it is asked
	// whether it is there; default 30 s. If it does not answer within 15 s the connection ends.
	PingAfter time.Duration

	// Trace is told what becomes of requests that have none of their own.
	Trace *Trace
	// Poison has what a closed Response gave out overwritten, and the Response not used again, so that a test shows who
	// keeps it for too long. It is always on in programs built with the race detector.
	Poison bool
}

// Protocol is a choice of versions of HTTP.
type Protocol uint8

// The choices.
const (
	Any   Protocol = iota // HTTP/2 if the server chooses it in the TLS handshake, else HTTP/1.1
	HTTP1                 // HTTP/1.1
	HTTP2                 // HTTP/2; without TLS by prior knowledge (RFC 9113 §3.3)
)

// The defaults of Config.
const (
	defaultPerHost    = 512
	defaultIdle       = 4096
	defaultHeadBytes  = 64 << 10
	defaultHeadFields = 200
	defaultAgent      = "shockwave"
	defaultAppend     = 64 << 20 // bytes that AppendBody collects
)

// DefaultConfig returns the defaults, written out.
func DefaultConfig() Config { return Config{}.withDefaults() }

// withDefaults returns cfg with every zero field replaced by its default where that is a number.
func (cfg Config) withDefaults() Config {
	defaults.Set(&cfg.MaxConnsPerHost, defaultPerHost)
	defaults.Set(&cfg.MaxIdleConns, defaultIdle)
	defaults.Set(&cfg.IdleTimeout, 90*time.Second)
	defaults.Set(&cfg.WaitTimeout, 30*time.Second)
	defaults.Set(&cfg.DialTimeout, 10*time.Second)
	defaults.Set(&cfg.HandshakeTimeout, 10*time.Second)
	defaults.Set(&cfg.HeadTimeout, 60*time.Second)
	defaults.Set(&cfg.BodyTimeout, 60*time.Second)
	defaults.Set(&cfg.ContinueTimeout, time.Second)
	defaults.Set(&cfg.MaxHeadBytes, defaultHeadBytes)
	defaults.Set(&cfg.MaxHeadFields, defaultHeadFields)
	defaults.Set(&cfg.MaxRedirects, defaultRedirects)
	defaults.Set(&cfg.UserAgent, defaultAgent)
	defaults.Set(&cfg.PingAfter, 30*time.Second)
	cfg.Retry = cfg.Retry.withDefaults()
	cfg.Poison = cfg.Poison || bufpool.Poisoned
	return cfg
}

// pool is the part of the settings that is about connections.
func (cfg *Config) pool() httpclient.Config {
	none := func(n int) int { return max(n, 0) }
	never := func(d time.Duration) time.Duration { return max(d, 0) }
	return httpclient.Config{
		MaxConnsPerHost: none(cfg.MaxConnsPerHost),
		MaxConns:        none(cfg.MaxConns),
		MaxIdlePerHost:  none(cfg.MaxIdleConnsPerHost),
		MaxIdle:         none(cfg.MaxIdleConns),
		IdleTimeout:     never(cfg.IdleTimeout),
		MaxLifetime:     never(cfg.MaxConnLifetime),
		WaitTimeout:     never(cfg.WaitTimeout),
		KeepNone:        cfg.DisableKeepAlive,
		HTTP1: h1client.Config{
			Limits: http1.Limits{HeadBytes: cfg.MaxHeadBytes, Fields: cfg.MaxHeadFields},
		},
		HTTP2: h2client.Config{
			Wire:      cfg.http2(),
			PingAfter: never(cfg.PingAfter),
		},
		Engine: netconn.Config{MaxUnread: cfg.maxUnread()},
	}
}

// What servers are granted over HTTP/2.
const (
	streamWindow = 4 << 20 // bytes, to which a window grows if the path needs it
	connWindow   = 1 << 30 // bytes: what streams hold is bounded by their own windows
	mostHead     = 16 << 20
	mostFields   = 1 << 16
)

func (cfg *Config) http2() http2.Config {
	head, fields := cfg.MaxHeadBytes, cfg.MaxHeadFields
	if head < 0 || head > mostHead {
		head = mostHead
	}
	if fields < 0 || fields > mostFields {
		fields = mostFields
	}
	return http2.Config{
		MaxHeaderList: uint32(head), MaxFields: uint32(fields),
		MaxWindow: streamWindow, ConnWindow: connWindow, MaxConnWindow: connWindow,
	}
}

// maxUnread leaves room for the longest head that is allowed: http1 has to see it whole to refuse what is longer.
func (cfg *Config) maxUnread() int {
	if cfg.MaxHeadBytes < 0 {
		return -1
	}
	return max(4<<20, 2*cfg.MaxHeadBytes)
}
