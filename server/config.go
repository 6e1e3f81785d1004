package server

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/defaults"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Config holds a server's settings. A zero field means the documented default, a negative limit or timeout means none.
type Config struct {
	// Addr is the address that ListenAndServe listens on: "host:port" or "unix:/path". Default ":8080", ":8443" with
	// TLS.
	Addr string
	// Handler serves every request, also those for "*" and those with the method CONNECT. Required.
	Handler Handler

	ReadBufferSize       int   // initial size of a connection's input buffer; default 4 KiB
	WriteBufferSize      int   // body bytes buffered before a response is streamed; default 4 KiB
	MaxHeadBytes         int   // of a request; default 64 KiB; a larger head gets 431
	MaxHeadFields        int   // of a request; default 200, the cookies of HTTP/2 count as one; more get 431
	MaxTargetBytes       int   // default half of MaxHeadBytes, at least 8 KiB; a longer target gets 414
	MaxBodyBytes         int64 // of a request; default 32 MiB; a larger body gets 413; see Request.SetMaxBody
	MaxConns             int   // open connections; further ones wait in the listen queue; default none
	MaxKeepAliveRequests int   // requests served on one connection; default none
	DisableKeepAlive     bool  // serve one request per connection

	ReadHeaderTimeout   time.Duration // from the first byte of a head to its end; then 408; default 10 s
	ReadTimeout         time.Duration // for a body that did not arrive with its head, from the end of the head; default none
	WriteTimeout        time.Duration // from the end of a request's head to the end of its response; default none
	IdleTimeout         time.Duration // between two requests; default 650 s, beyond what load balancers keep
	FirstGrace          time.Duration // how long after its accept Shutdown waits for a connection's first request; default none
	IdlePark            time.Duration // until an idle connection releases its goroutine; a 200th if rarely used; default 10 s
	TLSHandshakeTimeout time.Duration // of a TLS handshake; default 10 s
	MinReadRate         int           // bytes per second of a body while the server waits for it; default 240
	MinWriteRate        int           // bytes per second of a response while the server waits for the peer; default 240
	RateGrace           time.Duration // time over which MinReadRate is judged; MinWriteRate: 3 times that or more; default 5 s

	// Protocols is the set of HTTP versions that are spoken over TCP, on every port: HTTP1 (HTTP/1.0 and HTTP/1.1), HTTP2
	// (over TLS, if the client chooses it) and UnencryptedHTTP2 (by prior knowledge, RFC 9113 §3.3, or by an Upgrade to
	// "h2c"). Nil means all three. With an empty set, only the functions in NextProtos and HTTP/3 serve.
	Protocols *http.Protocols
	// HTTP2 holds the settings of HTTP/2 connections. The other settings of Config apply to each of their streams.
	HTTP2 HTTP2Config

	// ServerName is the value of the Server field. Default: no Server field is sent.
	ServerName string
	// TLSConfig is the configuration of ListenAndServeTLS and ServeTLS, which copy it. In the copy, the HTTP versions
	// that are spoken are added to NextProtos and those that are not are removed. The same is done to what
	// GetConfigForClient returns if it offers "h2" and nothing speaks HTTP/2 over TLS.
	TLSConfig *tls.Config
	// NextProtos maps the name of another protocol (RFC 7301) to the function that serves connections on which TLS has
	// negotiated it. TLSConfig.NextProtos must offer the name. Each call runs on a goroutine of its own. Shutdown and
	// Close do not know about these connections.
	NextProtos map[string]NextProto
	// Logger receives panics, refused requests (level debug) and changes of certificates. Default: the logger that
	// slog.Default returns at the time of the record. To log nothing: slog.New(slog.DiscardHandler).
	Logger *slog.Logger

	// OnConn, if set, is called for every connection before its first request, on the goroutine of the connection.
	// Request.ConnValue returns its result.
	OnConn func(l net.Listener, nc net.Conn) any
	// OnState, if set, is called at every change of a connection's state, as http.Server's ConnState is. With it a request
	// costs one system call more.
	OnState func(nc net.Conn, s http.ConnState)

	likeNetHTTP bool // set by package nethttp, with package facelink
}

// NextProto serves a connection on which TLS has negotiated a protocol that is not one of this package. l is the
// listener that accepted it. As after Hijack, the function owns the connection and must close it.
type NextProto func(l net.Listener, nc *tls.Conn)

// HTTP2Config holds the limits and timeouts of HTTP/2 connections.
type HTTP2Config struct {
	// MaxConcurrentStreams is how many requests a client may have open at once; default 250. A request that the client
	// has reset counts until its handler has returned. A request whose response is complete does not count, because the
	// client sees it as finished, even if its handler still runs; but no more than twice as many handlers run at once.
	MaxConcurrentStreams uint32

	// DisableExtendedConnect keeps clients from opening WebSockets on streams (RFC 8441): browsers then use connections of
	// HTTP/1.1 for them. Handlers need not know about these streams: they see the request as the upgrade of HTTP/1.1 and
	// take its connection over. It is also disabled if MaxConcurrentStreams is 1: an open WebSocket counts as a request, and
	// would keep all others from the connection.
	DisableExtendedConnect bool

	MaxReadFrameSize uint32 // largest frame that a client may send, in bytes; default 16 KiB
	StreamWindow     uint32 // most bytes of one body that are received and not yet read; default 1 MiB
	ConnWindow       uint32 // the same for all bodies of a connection together; default 2 MiB
	DecoderTableSize uint32 // bytes of the table that a client may fill with fields; default 4 KiB
	EncoderTableSize uint32 // bytes of our table, if the client allows as much; default 4 KiB

	// Budget protects the server from clients that cause work and get nothing done: that open requests and reset them
	// (rapid reset, CVE-2023-44487), or send frames without content. Such frames cost points, requests that are answered
	// earn them back, and a connection without points is closed with ENHANCE_YOUR_CALM. Default 900 points, which ordinary
	// clients never use up; a negative value means no limit. [The rules] list what costs and earns how much.
	//
	// [The rules]: https://github.com/shockwave-go/shockwave/blob/main/docs/wire/http2.md
	Budget int32

	// PingInterval is the silent time after which a client is sent a PING, whether it has requests or not. Default: no PING
	// is sent. A PING wakes an idle connection for a moment and does not extend IdleTimeout.
	PingInterval time.Duration
	// PingTimeout is the wait for the answer to a PING, or for any other bytes, from when the client can have got the PING.
	// After it the connection is closed. Default 15 s.
	PingTimeout time.Duration

	// WriteByteTimeout is how long the client may take none of the pending output. The time starts when output begins
	// to wait, and again whenever some of it has been sent or taken. After it the connection is closed. Default: only
	// MinWriteRate decides.
	WriteByteTimeout time.Duration

	// PermitProhibitedCipherSuites allows HTTP/2 over TLS 1.2 with the cipher suites of RFC 9113 appendix A. Without it
	// such a connection is closed with INADEQUATE_SECURITY, as one over an older TLS always is (RFC 9113 §9.2).
	PermitProhibitedCipherSuites bool

	// CountError, if set, is called for every protocol error of a client with a name for a counter. The name is conn_
	// or stream_, after what the error has ended, the error code in lower case, and the Name of the http2.Error. Two
	// other names are conn_inadequate_security_cipher_suite or _tls_version, and conn_close_lost_ping for a client that
	// did not answer within PingTimeout. Several goroutines may call CountError at the same time. Its connection is not
	// read while it runs.
	CountError func(name string)
}

// offersConnect reports whether clients may use extended CONNECT (RFC 8441).
func (cfg *HTTP2Config) offersConnect() bool {
	return !cfg.DisableExtendedConnect && cfg.MaxConcurrentStreams != 1
}

// The default values of Config.
const (
	defaultReadBuffer  = 4 << 10
	defaultWriteBuffer = 4 << 10
	defaultHeadBytes   = 64 << 10
	defaultHeadFields  = 200
	defaultBodyBytes   = 32 << 20
	defaultRate        = 240

	// Load balancers keep idle connections to servers for 60 s (AWS) to 600 s (Google Cloud), and send a request on one that
	// the server is closing just then, which fails. So the server outlasts them.
	defaultIdleTimeout = 650 * time.Second
)

// DefaultConfig returns a Config with all defaults filled in. The caller still has to set Handler.
func DefaultConfig() Config { return Config{}.withDefaults() }

// withDefaults returns cfg with every zero field replaced by its default, if that is a number.
func (cfg Config) withDefaults() Config {
	var spoken http.Protocols
	if cfg.Protocols != nil {
		spoken = *cfg.Protocols
	} else {
		spoken.SetHTTP1(true)
		spoken.SetHTTP2(true)
		spoken.SetUnencryptedHTTP2(true)
	}
	cfg.Protocols = &spoken
	defaults.Set(&cfg.ReadBufferSize, defaultReadBuffer)
	defaults.Set(&cfg.WriteBufferSize, defaultWriteBuffer)
	defaults.Set(&cfg.MaxHeadBytes, defaultHeadBytes)
	defaults.Set(&cfg.MaxHeadFields, defaultHeadFields)
	defaults.Set(&cfg.MaxBodyBytes, defaultBodyBytes)
	defaults.Set(&cfg.ReadHeaderTimeout, 10*time.Second)
	defaults.Set(&cfg.IdleTimeout, defaultIdleTimeout)
	defaults.Set(&cfg.IdlePark, 10*time.Second)
	defaults.Set(&cfg.TLSHandshakeTimeout, 10*time.Second)
	defaults.Set(&cfg.MinReadRate, defaultRate)
	defaults.Set(&cfg.MinWriteRate, defaultRate)
	defaults.Set(&cfg.RateGrace, 5*time.Second)
	return cfg
}

// limits returns the limits of a request head.
func (cfg *Config) limits() http1.Limits {
	return http1.Limits{HeadBytes: cfg.MaxHeadBytes, Fields: cfg.MaxHeadFields, TargetBytes: cfg.MaxTargetBytes}
}

// engine returns the settings that apply to the I/O core.
func (cfg *Config) engine() netconn.Config {
	return netconn.Config{
		ReadBuffer:       cfg.ReadBufferSize,
		MaxUnread:        cfg.maxUnread(),
		MaxConns:         cfg.MaxConns,
		IdleTimeout:      cfg.IdleTimeout,
		FirstGrace:       cfg.FirstGrace,
		MessageTimeout:   cfg.ReadHeaderTimeout,
		HandshakeTimeout: cfg.TLSHandshakeTimeout,
		IdlePark:         cfg.IdlePark,
		MinReadRate:      cfg.MinReadRate,
		MinWriteRate:     cfg.MinWriteRate,
		RateGrace:        cfg.RateGrace,
		OnState:          cfg.onState(),
		Logger:           cfg.Logger,
	}
}

// maxUnread returns how many unread bytes a connection may hold. It leaves room for the longest allowed head, because
// http1 must see one whole head to refuse a longer one.
func (cfg *Config) maxUnread() int {
	if cfg.MaxHeadBytes < 0 {
		return -1
	}
	return max(4<<20, 2*cfg.MaxHeadBytes)
}

// onState returns OnState as a function of netconn's states, nil if it is not set. The numbers of the states are those of
// net/http.
func (cfg *Config) onState() func(net.Conn, netconn.State) {
	if cfg.OnState == nil {
		return nil
	}
	tell := cfg.OnState
	return func(nc net.Conn, s netconn.State) { tell(nc, http.ConnState(s)) }
}
