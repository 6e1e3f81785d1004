// Package load drives load over the module's own wire and core, of HTTP, of WebSocket and of routing-id sockets, and keeps
// account of every answer.
//
// A run has a fixed number of seats, and on each a connection; when a connection ends, the next one takes its seat. In a
// closed loop a seat sends its next request when an answer has come. In an open loop, with a rate, every request has its
// moment, whatever the server does, and latency counts from that moment.
//
// Everything is checked: each answer's status, framing and length; over HTTP/2 requests are streams, answered in any order;
// over WebSocket, tcp and tls each message must come back as it was sent, byte for byte, and messages are what the comments
// here call requests and answers. What was sent is counted once: as answered, as one kind of error, or as unanswered when the
// time was over.
//
// Messages that go one way are counted when they have left, and the run ends when the other side has read them all: see
// Message.OneWay.
//
// It does not stand on package client, whose requests cost up to three times as much (docs/decisions/0008) and which
// retries and waits where a load must tell.
package load

import (
	"context"
	"crypto/tls"
	"net/url"
	"time"

	"github.com/shockwave-go/shockwave"
)

// Config says what Run does. A zero field is its default.
type Config struct {
	URL      *url.URL         // http or https; ws or wss for WebSocket; tcp or tls for messages behind their lengths; with a host
	More     []*url.URL       // over HTTP: further URLs of the same server, which take turns with URL on each connection
	Method   string           // default GET, or POST with a Body
	Header   shockwave.Header // fields besides Host, Content-Length and User-Agent; one of these replaces ours
	Body     []byte           // sent with every request; not changed, and not kept after Run
	Same     bool             // over HTTP: all answers from a URL must have the status and the length of its first one
	Message  Message          // with ws, wss, tcp and tls: instead of Method and Body
	Conns    int              // connections; default 64
	Pipeline int              // requests in flight on each; over HTTP/2 streams at once; one way: in one write; default 1
	HTTP2    bool             // with http and https: HTTP/2, with prior knowledge (RFC 9113 §3.3) or by ALPN
	Rate     float64          // requests per second over all connections, evenly spaced; 0: as many as possible
	Warmup   time.Duration    // before anything is counted, when all connections are open; default none
	Duration time.Duration    // of what is counted; default 10 s
	Requests int64            // the run ends before that when so many have been answered or have failed; 0: no limit; not with Warmup
	Timeout  time.Duration    // of connecting, of the handshake and of one answer; default 10 s
	TLS      *tls.Config      // of https, wss and tls; default: the server's certificate is checked

	// Began and Ended, if set, are called when counting begins and ends.
	Began, Ended func()
	// Progress, if set, is told of each second that has passed, on a goroutine of Run's, one call at a time.
	Progress func(Second)
}

// Run drives load until cfg.Duration has passed or ctx has ended, and returns the account of what it did either way.
// The error is about cfg, or says that not a single connection could be opened. When Run returns all connections have
// ended. Any number of runs may go on at the same time.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	req, err := cfg.request()
	if err != nil {
		return nil, err
	}
	return newRun(cfg, req).drive(ctx)
}
