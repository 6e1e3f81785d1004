package http3

import (
	"cmp"
	"time"

	"github.com/shockwave-go/shockwave/http3/internal/cost"
)

// Config holds the settings of HTTP/3 that the host does not have. A zero field means the documented default.
type Config struct {
	// MaxConcurrentStreams is how many requests a client may have open at once; default 100. Bidirectional streams of sessions of
	// WebTransport count as well, and as many unidirectional ones may be open besides.
	MaxConcurrentStreams int

	StreamWindow int // most bytes of one body that are received and not yet read; default 1 MiB
	ConnWindow   int // the same for all bodies of a connection together; default 2 MiB

	// Budget is how much work without progress a client may cause before its connection ends with H3_EXCESSIVE_LOAD, in units;
	// default 900, a negative value is no limit. The page docs/wire/http3.md says what costs how much.
	Budget int32

	// MaxUnvalidatedHandshakes is how many handshakes may be under way before further clients have to prove their addresses first (Retry,
	// RFC 9000 §8.1.2), which costs them a round trip; default 200, a negative value is no limit.
	MaxUnvalidatedHandshakes int

	// AltSvcPort is the port of UDP that clients of HTTP/1.1 and HTTP/2 are told to use (the response field Alt-Svc, RFC 7838), where it is
	// another one outside than the socket's; default the socket's. With a negative one nothing is told. AltSvcMaxAge is for how long
	// clients remember it; default a day.
	AltSvcPort   int
	AltSvcMaxAge time.Duration

	// EarlyData lets clients that come back send requests with safe methods before the handshake is complete (0-RTT, RFC 8470).
	// They might be replayed. Handlers see the field Early-Data. Other requests wait for the handshake.
	EarlyData bool

	// WebTransportSessions is how many sessions of WebTransport a client may have open at once on a connection; see package webtransport.
	// Default 0: they are not offered.
	WebTransportSessions int

	// MaxIdleTimeout is how long a client may send nothing at all, not even acknowledgements (RFC 9000 §10.1); default 2 minutes. A client
	// that only has no requests is left alone for the server's IdleTimeout.
	MaxIdleTimeout time.Duration

	// SharedPort lets several processes serve one port; nil is none. Linux only: elsewhere Serve returns an error.
	SharedPort *SharedPort
}

// withDefaults returns cfg with every zero field replaced by its default.
func (cfg Config) withDefaults() Config {
	cfg.MaxConcurrentStreams = cmp.Or(cfg.MaxConcurrentStreams, 100)
	cfg.StreamWindow = cmp.Or(cfg.StreamWindow, 1<<20)
	cfg.ConnWindow = cmp.Or(cfg.ConnWindow, 2<<20)
	cfg.Budget = cmp.Or(cfg.Budget, cost.Default)
	cfg.MaxUnvalidatedHandshakes = cmp.Or(cfg.MaxUnvalidatedHandshakes, 200)
	cfg.AltSvcMaxAge = cmp.Or(cfg.AltSvcMaxAge, 24*time.Hour)
	cfg.MaxIdleTimeout = cmp.Or(cfg.MaxIdleTimeout, 2*time.Minute)
	return cfg
}
