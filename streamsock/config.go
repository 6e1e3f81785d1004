package streamsock

import (
	"context"
	"crypto/tls"
	"log/slog"
	"math"
	"net"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/defaults"
)

// Config configures a Socket. A zero field means its default; a negative limit or time means none.
type Config struct {
	// MaxMessage is the maximum size of a message from a peer, in bytes. A larger one ends the connection with ReasonTooLarge,
	// before memory is allocated for it. Default 16 MiB.
	MaxMessage int
	// MaxPeers is the maximum number of accepted peers; further connections are refused. Default none.
	MaxPeers int
	// AcceptRate is how many connections are accepted per second; others wait. Default none.
	AcceptRate int

	// QueueBytes and QueueMessages bound the messages that are queued for one peer; an empty queue takes one message of any
	// size. Slow selects what happens to a message that does not fit. Default: 4 MiB, 1,000, BlockWhenSlow. With BlockWhenSlow, a Send to a
	// peer on the same host also waits, for at most 10 ms, while more than PeerStats.Window bytes are unsent.
	QueueBytes    int64
	QueueMessages int
	Slow          Slow

	// ReceiveBytes bounds the bytes that were received and not yet taken by Recv, including incomplete messages. Each message
	// counts 64 bytes more than its size, and one message is always let in. PeerBytes is the share of one peer: beyond it the
	// socket stops reading from its connection. A peer whose message arrives at less than 240 bytes a second for 10 s is
	// disconnected as ReasonSlow; while other messages wait for the room that it holds it must bring 1/120 of that a second.
	// Default: 64 MiB and 1 MiB.
	ReceiveBytes int64
	PeerBytes    int64

	// PingInterval is the silence after which a peer on ws or wss is pinged. If it stays silent for as long again, and takes
	// nothing that was sent before the ping, it is disconnected as ReasonPingTimeout. Default none.
	PingInterval time.Duration
	// IdleTimeout is how long a connection is kept without a message or another sign of life. Default none.
	IdleTimeout time.Duration
	// HandshakeTimeout is the timeout for dialling, TLS, the upgrade, and FirstMessage together. Default 10 s.
	HandshakeTimeout time.Duration
	// Linger is how long queued messages may take to be sent when this side ends a connection. Default 5 s.
	Linger time.Duration
	// Away is how long an accepted peer with a key is kept, with its id and queue, after its connection has ended. Default
	// none.
	Away time.Duration
	// RedialFirst and RedialLongest are the first and the longest wait before a dialled peer is dialled again after its
	// connection has broken or could not be opened. Each wait is twice as long as the one before, less a random part of up
	// to a half. The waits begin again with RedialFirst after a connection that has lasted for RedialLongest; after close
	// code 1012 or 1013 the next one is RedialLongest. Default: 100 ms and 5 s. With a negative RedialFirst a peer is
	// dialled once.
	RedialFirst, RedialLongest time.Duration

	// LastID is the largest routing id. Ids are given from 1 to LastID and then from 1 again. Default 2^32-1.
	LastID ID

	// Framing selects how messages are put into WebSocket frames. Text allows text messages on ws and wss; without it a text
	// message ends the connection with close code 1003.
	Framing Framing
	Text    bool
	// Subprotocols are the supported subprotocols for ws and wss, best first. A client that offers none of them is refused.
	Subprotocols []string
	// Origins and CheckOrigin select whose pages may connect, as in websocket.Config.
	Origins     []string
	CheckOrigin func(origin, host string) bool
	// Header is added to the upgrade request when ws or wss is dialled.
	Header http.Header

	// TLSConfig is needed to bind tls and wss; its GetCertificate may return a different certificate for each connection.
	// DialTLSConfig is used to dial. Neither is changed.
	TLSConfig, DialTLSConfig *tls.Config
	// NetDial opens connections. Default: a dialler with happy eyeballs (RFC 8305).
	NetDial func(ctx context.Context, network, addr string) (net.Conn, error)

	// Accept, if set, decides about each connection before it becomes a peer's. It may take until HandshakeTimeout is over.
	Accept func(a *Arrival) error
	// FirstMessage delays Accept on tcp, tls and unix until the peer's first message is there, which must come within
	// HandshakeTimeout.
	FirstMessage bool
	// OnRefused is called for each connection that did not become a peer's.
	OnRefused func(r Refusal)

	// OnDialError is called for each failed attempt to dial a peer. It must not block.
	OnDialError func(p *Peer, err error)

	// OnMessage, if set, is called with each message and event instead of Recv returning them. It runs on the goroutine of
	// the peer's connection, one call at a time, and may block: only that peer waits. m.Data is only valid until it returns.
	OnMessage func(m Message)

	// Logger logs errors that are not reported elsewhere: panics of callbacks and failed listeners. Default: slog's default.
	Logger *slog.Logger
}

// Slow selects what happens to a message for a peer whose queue is full.
type Slow uint8

// The policies. Dropped messages are counted in Stats.
const (
	BlockWhenSlow Slow = iota // Send waits; SendMany and Broadcast drop the message for that peer
	FailWhenSlow              // Send fails with ErrQueueFull
	DropOldest                // the oldest queued message is dropped
	LatestPerKey              // the message replaces the queued one with the same key if there is room; otherwise like DropOldest
	CloseWhenSlow             // the connection is ended as ReasonSlow
)

// Framing is how messages are put into WebSocket frames.
type Framing uint8

// The framings.
const (
	FramingSingle   Framing = iota // each message is a WebSocket message
	FramingPrefixed                // the byte stream of tcp in binary messages of any size; used by zlink
)

// settings is a Config with its defaults filled in.
type settings struct {
	Config
	format format
}

func (cfg Config) settings() *settings {
	s := &settings{Config: cfg}
	defaults.SetLimit(&s.MaxMessage, 16<<20)
	if s.MaxMessage <= 0 {
		s.MaxMessage = math.MaxInt
	}
	s.format = format{
		maxMessage: uint32(min(uint64(s.MaxMessage), math.MaxUint32)), // the largest length that a header can express
		text:       s.Text, prefixed: s.Framing == FramingPrefixed,
	}
	s.QueueBytes, s.QueueMessages = noLimit(s.QueueBytes, 4<<20), int(min(noLimit(int64(s.QueueMessages), 1000), math.MaxInt))
	s.ReceiveBytes, s.PeerBytes = noLimit(s.ReceiveBytes, 64<<20), noLimit(s.PeerBytes, 1<<20)
	defaults.SetLimit(&s.HandshakeTimeout, 10*time.Second)
	defaults.SetLimit(&s.Linger, 5*time.Second)
	defaults.Set(&s.RedialFirst, 100*time.Millisecond)
	defaults.SetLimit(&s.RedialLongest, 5*time.Second)
	defaults.Set(&s.LastID, math.MaxUint32)
	if s.Logger == nil {
		s.Logger = slog.Default()
	}
	return s
}

// noLimit returns a field with its default filled in; none becomes the largest value.
func noLimit(field, value int64) int64 {
	if defaults.Set(&field, value); field < 0 {
		return math.MaxInt64
	}
	return field
}
