package netconn

import (
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/shockwave-go/shockwave/internal/clock"
	"github.com/shockwave-go/shockwave/internal/defaults"
)

// Loop names a serve loop.
type Loop uint8

const (
	// Auto is the latched loop where it can be used, else the plain one. SHOCKWAVE_LOOP=plain in the environment makes
	// it Plain.
	Auto Loop = iota
	// Plain reads and writes through the net.Conn.
	Plain
)

// State is where a connection is in its life; the numbers are those of net/http's ConnState.
type State int

// The states a connection goes through, as Config.OnState is told them.
const (
	StateNew      State = iota // accepted, no byte of a message yet
	StateActive                // a message has begun
	StateIdle                  // between messages
	StateHijacked              // taken over; the last state
	StateClosed                // ended; the last state
)

// Config says how an Engine runs its connections. A zero field is its default; a negative limit or time is none.
type Config struct {
	// New is called once for each connection, on its goroutine, when it is there and its TLS handshake is done. l is
	// the listener it came from. An error ends the connection.
	New func(c *Conn, l net.Listener) (Protocol, error)

	Loop             Loop
	ReadBuffer       int           // first lease for what arrives, bytes; it grows while Data takes nothing; default 4 KiB
	MaxUnread        int           // most bytes that may stand untaken; protocols should refuse earlier; default 4 MiB
	WriteBuffer      int           // bound of the output queue, bytes; default 64 KiB
	MaxConns         int           // open connections; more wait in the listen queue; default none
	IdleTimeout      time.Duration // between messages without a byte; default 60 s
	FirstGrace       time.Duration // for the first byte, in which Shutdown waits for it; default none
	MessageTimeout   time.Duration // from a message's first byte until Data takes it; default 10 s
	HandshakeTimeout time.Duration // of TLS; default 10 s
	IdlePark         time.Duration // until an idle connection gives up its goroutine; a 200th if rarely used; default 10 s
	WriteTimeout     time.Duration // longest wait for the socket to take another byte; default none: MinWriteRate guards
	MinReadRate      int           // bytes per second while Fill or Read waits; default 240
	MinWriteRate     int           // bytes per second while output waits for the socket; default 240
	RateGrace        time.Duration // waiting over which reads are judged; writes: see SECURITY.md; default 5 s
	LingerTimeout    time.Duration // of a lingering close; default 1 s
	LingerBytes      int           // most bytes read and dropped in a lingering close; default 256 KiB

	// FlushLate says that what is appended while Data runs, or while a pulled connection is held, leaves within a tick.
	// Otherwise a Data that goes on calls FlushSoon.
	FlushLate bool

	// OnState, if set, is told every change of a connection's state. It selects the plain loop.
	OnState func(nc net.Conn, s State)
	// OnHandshakeError, if set, is told of a failed TLS handshake before nc, the transport below it, is closed.
	OnHandshakeError func(nc net.Conn, err error)
	// Clock, if set, is the engine's instead of one that keeps time by itself; for tests.
	Clock *clock.Clock
	// Logger is told what nobody else is: panics, accept errors. Default: slog's default.
	Logger *slog.Logger
}

// withDefaults returns cfg with every zero replaced by its default and every negative by zero, which means none.
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
		cfg.MinReadRate, cfg.MinWriteRate = 0, 0 // never judged
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
