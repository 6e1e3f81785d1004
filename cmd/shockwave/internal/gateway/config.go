package gateway

import (
	"crypto/tls"
	"log/slog"
	"time"
)

// Config configures a Gateway. A limit or time of 0 means none.
type Config struct {
	Routes []Route
	Raw    bool // services use a byte stream without lengths
	Text   bool // accept text messages, and send what services send as text; not with Raw

	MaxMessage uint32 // bytes, in either direction
	MaxPeers   int    // at the same time; further ones are refused with 503

	Subprotocols []string // best first; a client that offers none of them is refused with 400
	Origins      []string // further origins, in the format of websocket.Config

	Dial      time.Duration // timeout for connecting to the service, TLS included
	Stall     time.Duration // how long the service may accept nothing while something is waiting to be sent
	Idle      time.Duration // time without a message in either direction after which the peer is closed
	Heartbeat time.Duration // silence after which the peer is pinged
	HalfClose time.Duration // how long a peer that has sent a close frame still receives the service's messages
	Linger    time.Duration // how long one connection may take to finish after the other one has ended

	TLS    *tls.Config // for services on tls; not modified
	OnEnd  func(r Report)
	Logger *slog.Logger // logs panics in callbacks
}
