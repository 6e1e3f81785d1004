// Package load generates load and measures the responses. It uses the module's own wire packages and I/O core, and
// speaks HTTP, WebSocket and the framing of routing-id sockets.
//
// A run has a fixed number of slots with one connection each; when a connection ends, another one takes its slot. In a
// closed loop a slot sends its next request when a response has arrived. In an open loop, with a rate, every request
// has a due time that does not depend on the server, and latency counts from the due time.
//
// Everything is checked: status, framing and length of each response. Over HTTP/2 requests are streams and may be
// answered in any order. Over WebSocket, tcp and tls each message must come back exactly as it was sent; the comments
// here call these messages requests and their echoes responses. Each request that was sent is counted once: as
// answered, as one kind of error, or as unanswered when the time was over.
//
// One-way messages count when they have been sent, and the run ends when the other side has read them all: see
// Message.OneWay.
//
// The package does not use package client: a request would cost up to three times as much (docs/decisions/0008), and
// client retries and waits where a load generator must report.
package load

import (
	"context"
	"crypto/tls"
	"net/url"
	"time"

	"github.com/shockwave-go/shockwave"
)

// Config configures a run. A zero field means its default.
type Config struct {
	URL      *url.URL         // http or https; ws or wss for WebSocket; tcp or tls for length-prefixed messages; with a host
	More     []*url.URL       // over HTTP: further URLs of the same server, which take turns with URL on each connection
	Method   string           // default GET, or POST with a Body
	Header   shockwave.Header // further fields; Host, Content-Length and User-Agent replace the automatic ones
	Body     []byte           // of every request; not changed, and not used after Run
	Same     bool             // over HTTP: responses must be like the first one from their URL in status and length
	Message  Message          // with ws, wss, tcp and tls: instead of Method and Body
	Conns    int              // connections; default 64
	Pipeline int              // per connection: requests in flight, or streams of HTTP/2 and HTTP/3; one way: messages in a write; default 1
	HTTP2    bool             // with http and https: HTTP/2, with prior knowledge (RFC 9113 §3.3) or by ALPN
	HTTP3    bool             // with https: HTTP/3, over UDP
	Rate     float64          // requests per second over all connections, evenly spaced; 0: as many as possible
	Warmup   time.Duration    // load without counting, after all connections are open; default none
	Duration time.Duration    // counted time; default 10 s
	Requests int64            // end early after this many requests were answered or failed; 0: no limit; not with Warmup
	Timeout  time.Duration    // for connecting, the handshake and each response; default 10 s
	TLS      *tls.Config      // for https, wss and tls; default: verify the server's certificate

	// Began and Ended, if set, are called when counting begins and ends.
	Began, Ended func()
	// Progress, if set, is called after each second of the run, one call at a time, on a goroutine of Run.
	Progress func(Second)
}

// Run generates load until cfg.Duration has passed or ctx is done, and returns the results in either case. It returns
// an error if cfg is not valid or no connection could be opened. All connections have ended when Run returns. Run may
// be called concurrently.
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
