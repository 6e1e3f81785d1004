package netconn

import (
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/defaults"
	"github.com/shockwave-go/shockwave/internal/core/peerrate"
)

// Loop selects a serve loop.
type Loop uint8

const (
	// Auto is the latched loop where it can be used and the plain loop elsewhere. SHOCKWAVE_LOOP=plain in the
	// environment makes Auto mean Plain.
	Auto Loop = iota
	// Plain reads and writes through the methods of the net.Conn.
	Plain
)

// State is the state of a connection. The numbers are those of net/http's ConnState.
type State int

// The states that Config.OnState reports.
const (
	StateNew      State = iota // accepted; no byte of a message has arrived
	StateActive                // a message has begun
	StateIdle                  // between messages
	StateHijacked              // taken over by Hijack; final
	StateClosed                // closed; final
)

// Config configures an Engine. A zero field means its default; a negative limit or duration means none.
type Config struct {
	// New is called once for each connection, on the connection's goroutine, after its TLS handshake if there is one. l
	// is the listener that accepted the connection. An error ends the connection.
	New func(c *Conn, l net.Listener) (Protocol, error)

	Loop             Loop
	ReadBuffer       int           // initial size of the input buffer, bytes; it grows while Data takes nothing; default 4 KiB
	MaxUnread        int           // limit of received bytes that Data has not taken; protocols should refuse earlier; 4 MiB
	WriteBuffer      int           // limit of the output queue, bytes; default 64 KiB
	MaxConns         int           // limit of open connections; further ones wait in the listen queue; default none
	IdleTimeout      time.Duration // limit of the time between messages; default 60 s
	FirstGrace       time.Duration // how long Shutdown waits for the first byte of a new connection; default none
	MessageTimeout   time.Duration // from a message's first byte until Data takes it; default 10 s
	HandshakeTimeout time.Duration // limit of the TLS handshake; default 10 s
	IdlePark         time.Duration // idle time until a connection gives up its goroutine; a 200th if rarely used; default 10 s
	WriteTimeout     time.Duration // limit of a wait for the socket to take another byte; default none: MinWriteRate guards
	MinReadRate      int           // bytes per second while Fill or Read waits; default 240
	MinWriteRate     int           // bytes per second while output waits for the socket; default 240
	RateGrace        time.Duration // waiting time after which a read rate is judged; for writes see SECURITY.md; default 5 s
	LingerTimeout    time.Duration // limit of a lingering close; default 1 s
	LingerBytes      int           // limit of the bytes read and dropped in a lingering close; default 256 KiB

	// With FlushLate, output that is appended while Data runs, or while a Pulled is held, leaves within a tick. Without
	// it, a Data that runs for long calls FlushSoon itself.
	FlushLate bool

	// OnState, if set, is called at every change of a connection's state. Setting it selects the plain loop.
	OnState func(nc net.Conn, s State)
	// OnHandshakeError, if set, is called after a failed TLS handshake, before nc, the connection below TLS, is closed.
	OnHandshakeError func(nc net.Conn, err error)
	// Clock, if set, replaces the engine's own clock; for tests.
	Clock *clock.Clock
	// Logger receives what no caller is told: panics and accept errors. The default is slog's default logger.
	Logger *slog.Logger
}

// withDefaults returns cfg with every zero field replaced by its default and every negative field by zero, which then
// means none.
func (cfg Config) withDefaults() Config {
	defaults.SetLimit(&cfg.ReadBuffer, 4<<10)
	defaults.SetLimit(&cfg.MaxUnread, 4<<20)
	defaults.SetLimit(&cfg.WriteBuffer, 64<<10)
	defaults.SetLimit(&cfg.MaxConns, 0)
	defaults.SetLimit(&cfg.IdleTimeout, 60*time.Second)
	defaults.SetLimit(&cfg.FirstGrace, 0)
	defaults.SetLimit(&cfg.MessageTimeout, 10*time.Second)
	defaults.SetLimit(&cfg.HandshakeTimeout, 10*time.Second)
	defaults.SetLimit(&cfg.IdlePark, 10*time.Second)
	defaults.SetLimit(&cfg.WriteTimeout, 0)
	defaults.SetLimit(&cfg.MinReadRate, 240)
	defaults.SetLimit(&cfg.MinWriteRate, 240)
	defaults.SetLimit(&cfg.RateGrace, 5*time.Second)
	defaults.SetLimit(&cfg.LingerTimeout, time.Second)
	defaults.SetLimit(&cfg.LingerBytes, 256<<10)
	if cfg.Loop == Auto && (cfg.OnState != nil || os.Getenv("SHOCKWAVE_LOOP") == "plain") {
		cfg.Loop = Plain
	}
	if cfg.RateGrace == 0 {
		cfg.MinReadRate, cfg.MinWriteRate = 0, 0 // rates are never judged
	}
	if cfg.ReadBuffer <= 0 {
		cfg.ReadBuffer = 4 << 10
	}
	if cfg.WriteBuffer <= 0 {
		cfg.WriteBuffer = 64 << 10
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.New()
	}
	if cfg.Logger == nil {
		cfg.Logger = defaults.Logger()
	}
	return cfg
}

// limits returns what every connection obeys. cfg has its defaults.
func (cfg *Config) limits() limits {
	return limits{
		rates:        peerrate.Limits{MinRead: cfg.MinReadRate, MinWrite: cfg.MinWriteRate, Grace: cfg.RateGrace},
		writeTimeout: cfg.WriteTimeout, lingerTimeout: cfg.LingerTimeout, lingerBytes: cfg.LingerBytes,
		readBuffer: cfg.ReadBuffer, maxUnread: cfg.MaxUnread, writeBuffer: cfg.WriteBuffer, flushLate: cfg.FlushLate,
	}
}
