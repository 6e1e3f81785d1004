package load

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
	Targets []Target // of Config.URL and Config.More, in order; nil if there is only one
	Seconds []Second
}

// OneWay says how one-way connections ended. A connection that ended before the time was over is counted in Errors
// instead, at least once.
type OneWay struct {
	Conns     int64         // open when the time was over
	Confirmed int64         // of those: the other side has also ended its direction, so it has read everything
	Parting   time.Duration // until all of these were confirmed, or the last one that was; included in Elapsed
}

// Outage is a time without any connection, when none could be opened. Outages under a tenth of a second are left out.
type Outage struct{ From, To time.Duration } // relative to the beginning of counting

// Target has the results for one of several URLs.
type Target struct {
	Requests int64 // successful
	Errors   int64
	Mean     time.Duration // latency of all complete responses
	Max      time.Duration

	answers, sum int64
}

// record counts a complete response.
func (t *Target) record(ns int64, right bool) {
	if right {
		t.Requests++
	} else {
		t.Errors++
	}
	t.answers++
	t.sum += ns
	t.Max = max(t.Max, time.Duration(ns))
}

func (t *Target) add(o *Target) {
	t.Requests += o.Requests
	t.Errors += o.Errors
	t.answers += o.answers
	t.sum += o.sum
	t.Mean = time.Duration(t.sum / max(t.answers, 1))
	t.Max = max(t.Max, o.Max)
}

// Errors counts errors by kind. All kinds except Connect, and Protocol for bytes that answer no request, count requests
// that were sent.
type Errors struct {
	Connect  int64 // no connection, TLS failed, or no WebSocket; before the start only if it lasts for Timeout
	Protocol int64 // the response breaks the rules of its protocol, or answers no request
	Status   int64 // 4xx or 5xx; with Same also another status than the first response's
	Length   int64 // the body was cut short, or (with Same) not as long as the first one; or the echo has another length
	Content  int64 // the echo has other bytes or another type than the message
	Closed   int64 // the connection ended with requests unanswered; one way: before the run ended it; at least one
	Reset    int64 // HTTP/2: the server reset the stream
	Timeout  int64
}

// Total returns the sum of all kinds.
func (e *Errors) Total() int64 {
	return e.Connect + e.Protocol + e.Status + e.Length + e.Content + e.Closed + e.Reset + e.Timeout
}

func (e *Errors) add(o *Errors) {
	e.Connect += o.Connect
	e.Protocol += o.Protocol
	e.Status += o.Status
	e.Length += o.Length
	e.Content += o.Content
	e.Closed += o.Closed
	e.Reset += o.Reset
	e.Timeout += o.Timeout
}
