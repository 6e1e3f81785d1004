package tcpmux

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"time"
)

// Config is how sessions work. A zero field is its default; a negative limit or time is none. Each side has its own.
type Config struct {
	// MaxMessage is the most bytes that a message of the peer may have. The peer is told at the beginning, and its Send
	// fails with ErrTooLarge. Default 16 MiB.
	MaxMessage int
	// MaxChannels is how many channels a session may have at a time, those that nobody has accepted yet included. More are
	// reset with CodeTooMany. Default 65,536.
	MaxChannels int

	// Window is how many bytes a channel may have received that nobody has taken, to begin with: each message counts its
	// bytes and 8 more. A channel whose messages are taken as fast as they come is given more. Default 256 KiB.
	Window int
	// SessionWindow is the same for all channels of a session together. At most this and one message of MaxMessage bytes are
	// held for a peer. Default 64 MiB.
	SessionWindow int

	// ResumeTime is for how long a session waits for another connection when its own has broken. The shorter of both
	// sides' counts. Default 60 s.
	ResumeTime time.Duration
	// ResumeBytes is how much may have been sent that the peer has not acknowledged, which is kept to be sent again; beyond
	// it Send waits. Default 16 MiB.
	ResumeBytes int
	// AtMostOnce has a session end with its connection. One side is enough.
	AtMostOnce bool

	// Keepalive is after how long a silence the peer is asked for a sign of life. A connection that is silent for twice as
	// long, or takes nothing for as long, is broken. Default 15 s.
	Keepalive time.Duration
	// Idle is after how long a session that has no channels is closed. Default none.
	Idle time.Duration
	// Handshake bounds what comes before a connection is there: dialling, TLS, the greeting. Default 10 s.
	Handshake time.Duration
	// Linger is for how long Close waits for what was sent to be acknowledged. Default 5 s.
	Linger time.Duration
	// RedialLongest is the longest wait between two tries to connect again. The first try is made at once, the second after
	// RedialFirst, each later wait is twice the one before, less up to a half by chance; while one that has reached somebody waits
	// for an answer the next is put off, up to half a second. Default 50 ms and 500 ms.
	RedialFirst, RedialLongest time.Duration

	// MaxSessions is how many sessions a Listener has at a time; more are refused. Default none.
	MaxSessions int
	// MaxWaiting and WaitingBytes bound the sessions of a Listener that wait for their peers to connect again: how many, and
	// what they hold together, sent and received. Beyond that those end that have waited longest. Default 1,024 and 256 MiB.
	MaxWaiting   int
	WaitingBytes int64

	// TLS is what tls:// needs: certificates to listen, roots to dial. It is not changed.
	TLS *tls.Config
	// Dial opens connections, those of TLS included, which is spoken over them. Default: a dialler with happy eyeballs
	// (RFC 8305).
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// OnChannel is called with each channel that the peer opens, on a goroutine of its own, and Session.Accept returns none;
	// Listener.Accept returns sessions as ever. So a session that is idle costs no goroutine. The channel is the callee's, also
	// when OnChannel has returned; when it panics, the channel is reset with CodePanic and Logger is told.
	OnChannel func(c *Channel)
	// OnBroken is told that the session's connection has broken, and OnResumed that it has another one after an outage of
	// so long. They are called one at a time for each session, in order, and alternate.
	OnBroken  func(s *Session, err error)
	OnResumed func(s *Session, outage time.Duration)
	// OnRefused is told of each connection that a Listener has not made a session's.
	OnRefused func(remote net.Addr, err error)

	// Logger is told of what nobody else is told: listeners that fail, OnChannel that panics; and, for who looks, of connections that break and are
	// resumed and of sessions that are lost (debug). Default: slog's default.
	Logger *slog.Logger
}
