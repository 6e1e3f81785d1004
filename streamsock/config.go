package streamsock

import (
	"context"
	"crypto/tls"
	"log/slog"
	"math"
	"net"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/internal/defaults"
)

// Config is how a Socket works. A zero field is its default; a negative limit or time is none.
type Config struct {
	// MaxMessage is the most bytes that a message of a peer may have; longer ones end its connection with TooLarge. It is
	// looked at before anything is allocated. Default 16 MiB.
	MaxMessage int
	// MaxPeers is how many accepted peers there may be; others are refused. Default none.
	MaxPeers int
	// AcceptRate is how many connections are accepted in a second; others wait. Default none.
	AcceptRate int

	// QueueBytes and QueueMessages bound what waits for one peer; an empty queue takes one message of any size. Slow says
	// what becomes of a message that finds no room. Default: 4 MiB, 1,000, Block. With Block, who sends to a peer of the same
	// host also waits, for 10 ms at most, while more than PeerStats.Window is leaving.
	QueueBytes    int64
	QueueMessages int
	Slow          Slow

	// ReceiveBytes bounds what the socket has received and nobody has taken yet, half-received messages included; each
	// message counts for 64 bytes more than it has, and one message may always come in. PeerBytes is how much of that may be
	// one peer's: beyond it its connection is not read from. A peer whose message comes at less than 240 bytes a second for
	// 10 s is cut off as SlowPeer. Default: 64 MiB and 1 MiB.
	ReceiveBytes int64
	PeerBytes    int64

	// Heartbeat is after how long a silence a peer on ws or wss is asked for a sign of life; one that gives none for as long
	// again is Silent. Default none.
	Heartbeat time.Duration
	// Idle is after how long without a message or a sign of life a connection ends. Default none.
	Idle time.Duration
	// Handshake bounds what comes before a peer is connected: dialling, TLS, the upgrade, and FirstMessage. Default 10 s.
	Handshake time.Duration
	// Linger is for how long what is queued may take to leave when a connection is ended by this side. Default 5 s.
	Linger time.Duration
	// Away is for how long an accepted peer that has a key is kept after its connection has broken, with its id and what
	// waits for it. Default none.
	Away time.Duration
	// RedialFirst and RedialLongest are the first and the longest wait before a connection that was dialled and has broken
	// is dialled again. Each wait is twice the one before, less up to a half by chance. Default: 100 ms and 5 s. A negative
	// RedialFirst dials once.
	RedialFirst, RedialLongest time.Duration

	// LastID is the largest routing id: ids are 1 to LastID and round again. Default 2^32-1.
	LastID ID

	// Framing is how messages stand in the frames of ws and wss. Text has text messages sent and taken there; without it
	// they end the connection with close code 1003.
	Framing Framing
	Text    bool
	// Subprotocols are those of ws and wss that this socket speaks, best first. A client that offers none of them is refused.
	Subprotocols []string
	// Origins and CheckOrigin are as websocket.Config has them: whose pages may connect.
	Origins     []string
	CheckOrigin func(origin, host string) bool
	// Header is what a dialled ws or wss request says beside the handshake.
	Header http.Header

	// TLS is needed to bind tls and wss: certificates, or a GetCertificate that may give others from one connection to the
	// next. DialTLS is for dialled ones. Neither is changed.
	TLS, DialTLS *tls.Config
	// Dial opens connections. Default: a dialler with happy eyeballs (RFC 8305).
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// Accept, if there is one, decides about each connection that would become a peer. It may take until Handshake is over.
	Accept func(a *Arrival) error
	// FirstMessage has Accept of tcp, tls and unix called with the peer's first message, which must come within Handshake.
	FirstMessage bool
	// OnRefused is told of each connection that did not become a peer.
	OnRefused func(r Refusal)

	// OnDialError is told of each try to dial a peer that has failed. It must not wait.
	OnDialError func(p *Peer, err error)

	// OnMessage is called with each message and event on the goroutine of the peer's connection, one after the other, in
	// place of Recv, and may block: nobody but that peer waits. m.Data is valid until it returns.
	OnMessage func(m Message)

	// Logger is told of what nobody else is: callbacks that panic, listeners that fail. Default: slog's default.
	Logger *slog.Logger
}

// Slow is what becomes of a message for a peer whose queue is full.
type Slow uint8

// The policies. What is dropped is counted: see Stats.
const (
	Block        Slow = iota // Send waits; SendMany and Broadcast drop it for that peer
	Fail                     // Send fails with ErrQueueFull
	DropOldest               // what has waited longest is dropped
	LatestPerKey             // it takes the place of the message with the same key; else as DropOldest
	Disconnect               // the connection ends as SlowPeer
)

// Framing is how messages stand in WebSocket's frames.
type Framing uint8

// The framings.
const (
	Single   Framing = iota // a message is a WebSocket message
	Prefixed                // the byte stream of tcp in binary frames, whose bounds mean nothing: what zlink speaks
)

// settings are a Config with its defaults in place.
type settings struct {
	Config
	maxMessage uint32
}

func (cfg Config) settings() *settings {
	s := &settings{Config: cfg}
	defaults.SetLimit(&s.MaxMessage, 16<<20)
	if s.MaxMessage <= 0 {
		s.MaxMessage = math.MaxInt
	}
	s.maxMessage = uint32(min(uint64(s.MaxMessage), math.MaxUint32)) // the longest length
	s.QueueBytes, s.QueueMessages = noLimit(s.QueueBytes, 4<<20), int(min(noLimit(int64(s.QueueMessages), 1000), math.MaxInt))
	s.ReceiveBytes, s.PeerBytes = noLimit(s.ReceiveBytes, 64<<20), noLimit(s.PeerBytes, 1<<20)
	defaults.SetLimit(&s.Handshake, 10*time.Second)
	defaults.SetLimit(&s.Linger, 5*time.Second)
	defaults.Set(&s.RedialFirst, 100*time.Millisecond)
	defaults.SetLimit(&s.RedialLongest, 5*time.Second)
	defaults.Set(&s.LastID, math.MaxUint32)
	if s.Logger == nil {
		s.Logger = slog.Default()
	}
	return s
}

// noLimit resolves a bound of which none is as much as there can be.
func noLimit(field, value int64) int64 {
	if defaults.Set(&field, value); field < 0 {
		return math.MaxInt64
	}
	return field
}
