// Package load generates load and measures the responses. It uses the module's own wire packages and I/O core, and
// speaks HTTP, WebSocket and the framing of routing-id sockets. The packages below it:
//
//	drive     a run: slots that are kept filled with connections. Its interface Driver is what a protocol implements
//	h1 h2 h3  drivers of HTTP
//	message   driver of WebSocket and of length-prefixed messages
//	pipeline  connections whose responses come in the order of their requests
//	tcp       opens connections, with or without TLS
//	request   requests of HTTP
//	pace      schedules, order and number of requests
//	account   what is counted, and the result
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
// message.Spec.
//
// The package does not use package client: a request would cost up to three times as much (docs/decisions/0008), and
// client retries and waits where a load generator must report.
package load

import (
	"context"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
)

// Run generates load until cfg.Duration has passed or ctx is done, and returns the results in either case. It returns
// an error if cfg is not valid or no connection could be opened. All connections have ended when Run returns. Run may
// be called concurrently.
func Run(ctx context.Context, cfg Config) (*account.Result, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	driver, err := cfg.driver()
	if err != nil {
		return nil, err
	}
	return drive.Run(ctx, cfg.plan(), driver)
}

// plan returns how much load there is, and for how long.
func (cfg *Config) plan() drive.Plan {
	return drive.Plan{
		Host: cfg.URL.Host, URLs: 1 + len(cfg.More), Conns: cfg.Conns, Rate: cfg.Rate,
		Warmup: cfg.Warmup, Duration: cfg.Duration, Requests: cfg.Requests, Timeout: cfg.Timeout,
		Same: cfg.Same, Streams: cfg.HTTP2 || cfg.HTTP3, OneWay: cfg.Message.OneWay,
		Began: cfg.Began, Ended: cfg.Ended, Started: cfg.started, Progress: cfg.Progress,
	}
}
