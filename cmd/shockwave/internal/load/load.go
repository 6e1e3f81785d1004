// Package load drives HTTP and WebSocket load over the module's own wire and core, and keeps account of every answer.
//
// A run has a fixed number of seats, and on each a connection; when a connection ends, the next one takes its seat. In a
// closed loop a seat sends its next request when an answer has come. In an open loop, with a rate, every request has its
// moment, whatever the server does, and latency counts from that moment.
//
// Everything is checked: each answer's status, framing and length; over HTTP/2 requests are streams, answered in any order; over WebSocket each message must come back as it was
// sent, byte for byte, and messages are what the comments here call requests and answers. What was sent is counted once:
// as answered, as one kind of error, or as unanswered when the time was over.
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
	URL      *url.URL         // http or https, or ws or wss for WebSocket; with a host
	More     []*url.URL       // over HTTP: further URLs of the same server, which take turns with URL on each connection
	Method   string           // default GET, or POST with a Body
	Header   shockwave.Header // fields besides Host, Content-Length and User-Agent; one of these replaces ours
	Body     []byte           // sent with every request; not changed, and not kept after Run
	Same     bool             // over HTTP: all answers from a URL must have the status and the length of its first one
	Message  Message          // with ws and wss: instead of Method and Body
	Conns    int              // connections; default 64
	Pipeline int              // requests in flight on each; over HTTP/2 streams at once; default 1
	HTTP2    bool             // with http and https: HTTP/2, with prior knowledge (RFC 9113 §3.3) or by ALPN
	Rate     float64          // requests per second over all connections, evenly spaced; 0: as many as possible
	Warmup   time.Duration    // before anything is counted, when all connections are open; default none
	Duration time.Duration    // of what is counted; default 10 s
	Requests int64            // the run ends before that when so many have been answered or have failed; 0: no limit; not with Warmup
	Timeout  time.Duration    // of connecting, of the handshake and of one answer; default 10 s
	TLS      *tls.Config      // of https and wss; default: the server's certificate is checked

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
