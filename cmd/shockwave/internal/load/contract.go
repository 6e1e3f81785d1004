// Package load drives HTTP load over the module's own wire and core, and keeps account of every answer.
package load

import (
	"context"
	"crypto/tls"
	"net/url"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/shockwave-go/shockwave"
)

// Config says what Run does. A zero field is its default.
type Config struct {
	URL      *url.URL         // http or https; with a host
	Method   string           // default GET, or POST with a Body
	Header   shockwave.Header // fields besides Host, Content-Length and User-Agent; one of these replaces ours
	Body     []byte           // sent with every request
	Conns    int              // connections; default 64
	Pipeline int              // requests in flight on each; default 1
	Rate     float64          // requests per second over all connections, evenly spaced; 0: as many as possible
	Warmup   time.Duration    // before anything is counted, when all connections are open; default none
	Duration time.Duration    // of what is counted; default 10 s
	Timeout  time.Duration    // of connecting, of the handshake and of one answer; default 10 s
	TLS      *tls.Config      // of https; default: the server's certificate is checked

	// Began and Ended, if set, are called when counting begins and ends.
	Began, Ended func()
	// Progress, if set, is told of each second that has passed, on a goroutine of Run's, one call at a time.
	Progress func(Second)
}

// Second is what happened in one second of the run.
type Second struct {
	At       time.Duration // since counting began
	Requests int64         // answered as expected
	Errors   int64
	Open     int // connections
	P50, P99 time.Duration
}

// Result is the account of a run.
type Result struct {
	Elapsed    time.Duration // of what was counted
	Connecting time.Duration // until all connections were open
	Requests   int64         // answered as expected: in time, status 2xx or 3xx, the whole body
	Unanswered int64         // in flight when the time was over; no errors
	Late       int64         // with a rate: requests that were sent more than 10 ms after their moment
	Unsent     int64         // with a rate: requests whose moment had come and that were never sent
	BytesIn    int64         // as counted at the transport
	BytesOut   int64
	Reconnects int64 // connections that the server closed in good order (Connection: close) and that were opened again
	Errors     Errors
	Statuses   map[int]int64
	// Latency is in nanoseconds: from the moment a request was sent to the last byte of its answer; with a rate from the
	// moment it should have been sent, which corrects for coordinated omission.
	Latency *hdrhistogram.Histogram
	Seconds []Second
}

// Errors counts what went wrong, by kind.
type Errors struct {
	Connect  int64 // no connection, or no TLS
	Protocol int64 // the answer is no HTTP
	Status   int64 // 4xx or 5xx
	Length   int64 // the body has another length than the first answer's with that status; or it was cut short
	Closed   int64 // the connection ended with requests unanswered
	Timeout  int64
}

// Run drives load until cfg.Duration has passed or ctx has ended, and returns the account of what it did either way.
// The error is about cfg, or says that not a single connection could be opened.
func Run(ctx context.Context, cfg Config) (*Result, error) { panic("not built") }
