// Package message drives a run that sends messages over WebSocket, or with a length prefix over TCP and TLS. Each must come
// back exactly as it was sent, unless messages go one way. Elsewhere messages are called requests, and their echoes responses.
package message

import (
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/request"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/tcp"
)

// Spec describes the messages sent over WebSocket, tcp and tls.
type Spec struct {
	Size     int  // bytes, before compression
	Prefixed bool // over WebSocket: with a length prefix, in a byte stream that binary messages carry
	Text     bool // text; otherwise binary
	Deflate  bool // compressed individually (RFC 7692 §7.1.1), and the server is asked to do the same
	Takeover bool // with Deflate: with context takeover, in both directions
	// OneWay sends messages without waiting for echoes. A message counts when it has been sent, and its latency ends
	// then. Input is dropped. When the time is over each connection ends its sending direction (with a close frame over
	// WebSocket) and waits up to the timeout for the other side to do the same, which shows that it has read everything:
	// see account.OneWay. That wait is part of the counted time.
	OneWay bool
}

// Config configures a driver.
type Config struct {
	Spec      Spec
	WebSocket bool             // messages are sent over WebSocket; otherwise with a length prefix
	Request   *request.Request // that opens WebSocket: a GET of one URL
	Depth     int              // messages in flight on a connection; one way: in a write
	Scheduled bool             // messages have due times
	Transport tcp.Config
}
