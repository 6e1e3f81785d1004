// Package account holds what a run counts: its result, and the records from which it is made.
package account

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Second has the results of one second of the run. The last one may be shorter; less than a tenth of a second is added
// to the one before.
type Second struct {
	At       time.Duration // its end, since counting began
	Requests int64         // successful
	Errors   int64
	Open     int // open connections
	P50, P99 time.Duration
}

// Result is the result of a run. It belongs to the caller.
type Result struct {
	Elapsed    time.Duration // counted time
	Connecting time.Duration // until all connections were open
	Requests   int64         // in time, status 2xx or 3xx, with the whole body; or echoed; or one way: sent
	Unanswered int64         // in flight when the time was over; not errors
	Late       int64         // with a rate: sent more than 10 ms after they were due
	Unsent     int64         // with a rate: due, but never sent
	BytesIn    int64         // counted at the transport
	BytesOut   int64
	Reconnects int64 // connections that the server closed in an orderly way (Connection: close, or idle)
	Errors     Errors
	Statuses   map[int]int64 // HTTP responses by status
	Streams    *Streams      // over HTTP/2 and HTTP/3; nil for other protocols
	OneWay     *OneWay       // nil unless messages go one way
	// Latency is in nanoseconds, from sending a request to the last byte of its response. With a rate it begins when
	// the request was due, which corrects for coordinated omission. It includes all complete responses, even those that
	// count as errors.
	Latency *hdrhistogram.Histogram
	Parts   Parts
	Outages []Outage // in order of time
	Targets []Target // by URL, in the order of the request; nil if there is only one
	Seconds []Second
}

// OneWay says how one-way connections ended. A connection that ended before the time was over is counted in Errors
// instead, at least once.
type OneWay struct {
	Conns     int64         // open when the time was over
	Confirmed int64         // of those: the other side has also ended its direction, so it has read everything
	Parting   time.Duration // until all of these were confirmed, or the last one that was; included in Elapsed
}
