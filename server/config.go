package server

import (
	"crypto/tls"
	"log/slog"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/defaults"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// Config is a server's settings. A zero field is the documented default, a negative limit or time is none.
type Config struct {
	// Addr is where ListenAndServe listens: "host:port", or "unix:/path". Default ":8080", ":8443" with TLS.
	Addr string
	// Handler answers every request, also those for "*" and those whose method is CONNECT. Required.
	Handler Handler

	ReadBufferSize       int   // what a connection's input buffer starts with; default 4 KiB
	WriteBufferSize      int   // body bytes kept back before an answer is streamed; default 4 KiB
	MaxHeadBytes         int   // of a request; default 64 KiB; 431 beyond
	MaxHeadFields        int   // of a request; default 200; 431 beyond
	MaxTargetBytes       int   // default half of MaxHeadBytes, at least 8 KiB; 414 beyond
	MaxBodyBytes         int64 // of a request; default 32 MiB; 413 beyond; a handler may change it: Request.SetMaxBody
	MaxConns             int   // open connections; more wait in the listen queue; default none
	MaxKeepAliveRequests int   // answered on one connection; default none
	DisableKeepAlive     bool  // one request per connection

	ReadHeaderTimeout time.Duration // first byte of a head to its end; default 10 s; then 408
	ReadTimeout       time.Duration // of a body that did not come with its head, from there on; default none
	WriteTimeout      time.Duration // from the end of a head to the end of its answer; default none
	IdleTimeout       time.Duration // between two requests; default 60 s
	FirstGrace        time.Duration // of a new connection's first request, in which Shutdown waits for it; default none
	IdlePark          time.Duration // until an idle one gives its goroutine back; a 200th if rarely used; default 10 s
	HandshakeTimeout  time.Duration // of TLS; default 10 s
	MinReadRate       int           // bytes per second of a body while the server waits for it; default 240
	MinWriteRate      int           // bytes per second of an answer while it waits for the peer; default 240
	RateGrace         time.Duration // waiting over which bodies are judged, answers over 3 times that or more; default 5 s

	// Protocols are the versions of HTTP that are spoken. Default: all.
	Protocols Protocols
	// HTTP2 is about connections of HTTP/2; the other settings count for each of their streams.
	HTTP2 HTTP2Config

	// NetHTTP has the server refuse requests, greet HTTP/1.0, name statuses and end connections as net/http's does where
	// that is harmless. Package nethttp sets it.
	NetHTTP bool

	// ServerName is sent as the Server field. Default: none is sent.
	ServerName string
	// TLSConfig is used by ListenAndServeTLS and ServeTLS, which copy it. In the copy's NextProtos, and in that of
	// what GetConfigForClient returns if it has "h2", what is spoken is added and what is not is left out.
	TLSConfig *tls.Config
	// NextProtos has who serves connections on which TLS has negotiated another protocol, by its name (RFC 7301), which
	// TLSConfig.NextProtos must offer. Each is called on a goroutine of its own; Shutdown and Close do not know its
	// connections.
	NextProtos map[string]NextProto
	// Logger is told of panics, refused requests (debug) and certificates. Default: slog's default of the moment. For
	// silence: slog.New(slog.DiscardHandler).
	Logger *slog.Logger

	// OnConn, if set, is called for every connection before its first request, on the connection's goroutine; what it
	// returns is Request.ConnValue.
	OnConn func(l net.Listener, nc net.Conn) any
	// OnState, if set, is told every change of a connection's state. It selects the plain serve loop.
	OnState func(nc net.Conn, s ConnState)
}

// Protocols is a set of versions of HTTP.
type Protocols uint8

// The versions of HTTP. All that are spoken are spoken on every port.
const (
	HTTP1            Protocols = 1 << iota // HTTP/1.0 and HTTP/1.1
	HTTP2                                  // over TLS, if the client chooses it (ALPN "h2")
	UnencryptedHTTP2                       // without TLS: by prior knowledge (RFC 9113 §3.3), or by an Upgrade to "h2c"
)

// has reports whether p is spoken.
func (p Protocols) has(one Protocols) bool { return p&one != 0 }

// HTTP2Config is what a connection of HTTP/2 grants its client.
type HTTP2Config struct {
	// MaxConcurrentStreams is how many requests a client may have open at once; default 250. One that it has reset counts
	// until its handler has returned. One whose answer is whole does not, as the client knows it to be over, even if the
	// handler goes on: but no more than twice as many handlers run.
	MaxConcurrentStreams uint32

	MaxReadFrameSize uint32 // of a frame of the client's, bytes; default 16 KiB
	StreamWindow     uint32 // most bytes of a body that are here and not read; default 1 MiB
	ConnWindow       uint32 // of all bodies of a connection together; default 2 MiB
	DecoderTableSize uint32 // of the table that the client may fill with fields, bytes; default 4 KiB
	EncoderTableSize uint32 // of ours, as far as the client grants it; default 4 KiB

	// PingAfter is for how long a client may say nothing, whether it has requests open or not, until it is sent a PING;
	// default for ever. It wakes a connection without requests each time, which goes back to costing little at once, and
	// does not prolong IdleTimeout. Where nothing comes within PingTimeout then, default 15 s, the connection ends.
	PingAfter, PingTimeout time.Duration

	// WriteByteTimeout is for how long the client may take nothing of what waits to be sent, from the moment at which it
	// begins to wait and anew whenever some of it has left; then the connection ends. Default: MinWriteRate alone decides.
	WriteByteTimeout time.Duration

	// PermitProhibitedCipherSuites has HTTP/2 spoken over TLS 1.2 with the cipher suites of RFC 9113 appendix A, too. Else the
	// connection is ended with INADEQUATE_SECURITY, as one over an older TLS always is (RFC 9113 §9.2).
	PermitProhibitedCipherSuites bool

	// CountError, if set, is called for every rule that a client has broken, with a name for a counter: conn_ or stream_, by
	// what it has ended, the code in lower case, and http2.Error's Name of the rule; conn_inadequate_security_cipher_suite or
	// _tls_version; or conn_close_lost_ping, for a client that did not answer within PingTimeout. Several goroutines may call
	// it at the same time, and its connection is not read while it runs.
	CountError func(name string)
}

// The defaults of Config.
const (
	defaultReadBuffer  = 4 << 10
	defaultWriteBuffer = 4 << 10
	defaultHeadBytes   = 64 << 10
	defaultHeadFields  = 200
	defaultBodyBytes   = 32 << 20
	defaultRate        = 240
)

// DefaultConfig returns the defaults, written out. Handler is still to be set.
func DefaultConfig() Config { return Config{}.withDefaults() }

// withDefaults returns cfg with every zero field replaced by its default where that is a number.
func (cfg Config) withDefaults() Config {
	if cfg.Protocols == 0 {
		cfg.Protocols = HTTP1 | HTTP2 | UnencryptedHTTP2
	}
	defaults.Set(&cfg.ReadBufferSize, defaultReadBuffer)
	defaults.Set(&cfg.WriteBufferSize, defaultWriteBuffer)
	defaults.Set(&cfg.MaxHeadBytes, defaultHeadBytes)
	defaults.Set(&cfg.MaxHeadFields, defaultHeadFields)
	defaults.Set(&cfg.MaxBodyBytes, defaultBodyBytes)
	defaults.Set(&cfg.ReadHeaderTimeout, 10*time.Second)
	defaults.Set(&cfg.IdleTimeout, 60*time.Second)
	defaults.Set(&cfg.IdlePark, 10*time.Second)
	defaults.Set(&cfg.HandshakeTimeout, 10*time.Second)
	defaults.Set(&cfg.MinReadRate, defaultRate)
	defaults.Set(&cfg.MinWriteRate, defaultRate)
	defaults.Set(&cfg.RateGrace, 5*time.Second)
	return cfg
}

// limits are what a request head may hold.
func (cfg *Config) limits() http1.Limits {
	return http1.Limits{HeadBytes: cfg.MaxHeadBytes, Fields: cfg.MaxHeadFields, TargetBytes: cfg.MaxTargetBytes}
}

// engine is the part of the settings that the I/O core looks after.
func (cfg *Config) engine() netconn.Config {
	return netconn.Config{
		ReadBuffer:       cfg.ReadBufferSize,
		MaxUnread:        cfg.maxUnread(),
		MaxConns:         cfg.MaxConns,
		IdleTimeout:      cfg.IdleTimeout,
		FirstGrace:       cfg.FirstGrace,
		MessageTimeout:   cfg.ReadHeaderTimeout,
		HandshakeTimeout: cfg.HandshakeTimeout,
		IdlePark:         cfg.IdlePark,
		MinReadRate:      cfg.MinReadRate,
		MinWriteRate:     cfg.MinWriteRate,
		RateGrace:        cfg.RateGrace,
		OnState:          cfg.onState(),
		Logger:           cfg.Logger,
	}
}

// maxUnread leaves room for the longest head that is allowed: http1 has to see it whole to refuse what is longer.
func (cfg *Config) maxUnread() int {
	if cfg.MaxHeadBytes < 0 {
		return -1
	}
	return max(4<<20, 2*cfg.MaxHeadBytes)
}
