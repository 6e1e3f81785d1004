package tcpmux

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"time"
)

// Config configures sessions. A zero field means its default; a negative limit or time means none. The two sides may differ.
type Config struct {
	// MaxMessage is the maximum size of a message from the peer, in bytes. It is announced in the greeting, so the peer's
	// Send fails with ErrTooLarge. Default 16 MiB.
	MaxMessage int
	// MaxChannels is the maximum number of open channels in a session. As many channels may wait to be accepted, including
	// those that are already over, and as many calls of OnChannel may run. Further channels are reset with ResetTooManyChannels.
	// Default 65,536.
	MaxChannels int

	// Window is the initial receive window of a channel in bytes: how much may have been received and not yet taken by
	// Receive. Each message counts its bytes and 8 more. The window grows while messages are taken as fast as they come.
	// Default 256 KiB.
	Window int
	// SessionWindow is the receive window of all channels of a session together. When messages that nobody receives fill it,
	// channels whose messages are received go on with a reserve of their own, of about a kilobyte. So a session buffers for
	// its peer at most twice SessionWindow, a kilobyte for each channel, and two messages of MaxMessage bytes. Default 64 MiB.
	SessionWindow int

	// ResumeTimeout is how long a session waits for another connection after its own has broken. The shorter of both sides'
	// values is used. Default 60 s.
	ResumeTimeout time.Duration
	// ResumeBytes is how many bytes may have been sent and not yet acknowledged; they are kept to be sent again. Beyond it
	// Send waits. Default 16 MiB.
	ResumeBytes int
	// AtMostOnce disables resumption: the session ends with its connection. It is enough that one side sets it.
	AtMostOnce bool

	// PingInterval is the silence after which the peer is pinged. A connection that stays silent for twice as long, or whose
	// peer takes no output for as long, is broken. A peer that takes output ahead of the ping is alive: the time for its
	// answer begins when that ends. Default 15 s.
	PingInterval time.Duration
	// IdleTimeout is how long a session without channels is kept before it is closed. Default none; in a Pool 90 s.
	IdleTimeout time.Duration
	// HandshakeTimeout is the timeout for dialling, TLS and the greeting together. Default 10 s.
	HandshakeTimeout time.Duration
	// Linger is how long Shutdown waits for outstanding acknowledgements. Default 5 s.
	Linger time.Duration
	// RedialFirst and RedialLongest bound the wait between two attempts to reconnect. After the first connection, and one that
	// has lasted for RedialLongest, the first attempt is made at once, the second after RedialFirst; each later wait is twice
	// as long as the one before, up to RedialLongest, less a random part of up to a half. After a connection that has not
	// lasted the waits go on where they were. While an attempt has a connection and waits for an answer, the next one is
	// delayed by up to half a second. Default 50 ms and 500 ms.
	RedialFirst, RedialLongest time.Duration

	// MaxSessions is the maximum number of sessions of a Listener; more are refused. Default none.
	MaxSessions int
	// MaxWaiting and WaitingBytes bound the disconnected sessions of a Listener: their number, and the bytes they hold
	// together, sent and received. Beyond that the sessions that have been disconnected longest are ended. Default 1,024 and
	// 256 MiB.
	MaxWaiting   int
	WaitingBytes int64

	// TLSConfig is used for tls:// addresses: certificates to listen, roots to dial. It is not changed.
	TLSConfig *tls.Config
	// NetDial opens the TCP connections, also those over which TLS is spoken. Default: a dialler with happy eyeballs (RFC
	// 8305).
	NetDial func(ctx context.Context, network, addr string) (net.Conn, error)

	// OnChannel, if set, is called with each channel that the peer opens, on a goroutine of its own. Session.Accept then
	// returns no channels, so an idle session needs no goroutine; Listener.Accept returns sessions as usual. The channel
	// stays open when OnChannel returns. If OnChannel panics, the channel is reset with ResetPanic and the panic is logged.
	OnChannel func(c *Channel)
	// OnBroken is called when the session's connection has broken, and OnResumed when it has another one, with the duration
	// of the outage. For each session they are called one at a time, in order, and alternate.
	OnBroken  func(s *Session, err error)
	OnResumed func(s *Session, outage time.Duration)
	// OnRefused is called for each connection to a Listener that did not become a session's.
	OnRefused func(remote net.Addr, err error)

	// Logger logs errors that are not returned to a caller: failed listeners and panics of OnChannel. At debug level it also
	// logs connections that break or are resumed and sessions that are lost. Default: slog's default.
	Logger *slog.Logger
}
