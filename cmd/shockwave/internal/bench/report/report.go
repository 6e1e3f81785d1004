package report

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/message"
)

// Threshold is a condition of -fail and its result.
type Threshold struct {
	Condition string `json:"condition"`
	Value     string `json:"value"` // formatted
	Holds     bool   `json:"holds"`
}

// Report is the report of a run, and the object that -json writes (for several sockets a list of them). In runs
// over sockets the "requests" are messages. Names of times end in their unit: _s are seconds and _us microseconds, both
// with decimals. Unless noted otherwise a figure covers the counted time, which begins after connecting and warm-up.
//
// Later versions may add members but will not change the meaning of these.
type Report struct {
	Version    string        `json:"version"`            // of this program
	Date       time.Time     `json:"date"`               // when the run ended (RFC 3339)
	Title      string        `json:"title,omitempty"`    // as given by -title
	Notes      []string      `json:"notes,omitempty"`    // as given by -note
	URL        string        `json:"url"`                // without its password; the first of several
	Method     string        `json:"method"`             // for WebSocket: of the handshake; empty over tcp and tls
	Conns      int           `json:"conns"`              // as given by -c
	Pipeline   int           `json:"pipeline"`           // per connection: requests in flight, or streams of HTTP/2
	Rate       float64       `json:"rate"`               // as given by -rate; 0: as many as possible
	BodyBytes  int           `json:"body_bytes"`         // of each request; for sockets: of each message, uncompressed
	Elapsed    float64       `json:"elapsed_s"`          // counted time, including outages
	Connecting float64       `json:"connecting_s"`       // until all connections were open
	Requests   int64         `json:"requests"`           // in time, 2xx or 3xx, with the whole body; or echoed; one way: sent
	PerSecond  float64       `json:"requests_per_s"`     // requests / elapsed_s
	BytesIn    int64         `json:"bytes_in"`           // counted at the transport, like bytes_out
	BytesOut   int64         `json:"bytes_out"`          //
	Errors     Errors        `json:"errors"`             // by kind
	Unanswered int64         `json:"unanswered"`         // in flight at the end; not errors
	Late       int64         `json:"late"`               // with a rate: sent more than 10 ms after they were due
	Unsent     int64         `json:"unsent"`             // with a rate: due, but never sent
	Reconnects int64         `json:"reconnects"`         // connections that the server closed in an orderly way
	Statuses   map[int]int64 `json:"statuses"`           // responses by status code
	Latency    Latency       `json:"latency_us"`         // of all responses; 0 if there were none
	Parts      Parts         `json:"parts_us"`           // times of connecting and of parts of responses
	Histogram  []Bar         `json:"histogram"`          // of latency_us
	Outages    []Outage      `json:"outages"`            // times without any connection
	HTTP2      *Streams      `json:"http2,omitempty"`    // absent for other protocols
	HTTP3      *Streams      `json:"http3,omitempty"`    // likewise
	OneWay     *OneWay       `json:"one_way,omitempty"`  // absent if messages are echoed
	Prefixed   bool          `json:"prefixed,omitempty"` // over WebSocket: messages with a length prefix
	URLs       []URL         `json:"urls,omitempty"`     // if there are several
	CPU        CPU           `json:"cpu_s"`              // of this program
	Target     *Target       `json:"target,omitempty"`   // of the process that -pid names
	Seconds    []Second      `json:"seconds"`            // the last one may be shorter than a second

	Thresholds []Threshold `json:"thresholds,omitempty"` // conditions of -fail

	Run `json:"-"`
}

// Run is what a report has of its run besides what the JSON says.
type Run struct {
	Noun          Noun
	same          bool                    // -same was given
	Values        *hdrhistogram.Histogram // of latencies
	Message       message.Spec            // message options
	Curve         []Point                 // latency by percentile
	Asked         time.Duration           // requested duration
	AskedRequests int64                   // requested number; 0: as many as possible
	Timeout       time.Duration
	Processors    int    // GOMAXPROCS
	Command       string // command line to repeat the run

	ToleratesErrors bool // -fail has a condition on errors
}

// Errors counts errors by kind.
//
//   - connect: no connection, TLS failed, or no WebSocket
//   - protocol: the response breaks the rules of HTTP, WebSocket or the message framing
//   - status: 4xx or 5xx; with -same also a status other than that of the URL's first response
//   - length: the body was cut short; with -same, its length differs from that of the URL's first response; or the echo has
//     another length than the message
//   - content: the echo has other bytes than the message
//   - closed: the connection ended with requests unanswered; one way: before the run was over
//   - reset: the server reset the stream (HTTP/2)
//   - timeout: no response in time; one way: not taken, or not read to the end, in time
type Errors struct {
	Connect  int64 `json:"connect"`
	Protocol int64 `json:"protocol"`
	Status   int64 `json:"status"`
	Length   int64 `json:"length"`
	Content  int64 `json:"content"`
	Closed   int64 `json:"closed"`
	Reset    int64 `json:"reset"`
	Timeout  int64 `json:"timeout"`
}

// Total returns the sum.
func (e Errors) Total() int64 {
	return e.Connect + e.Protocol + e.Status + e.Length + e.Content + e.Closed + e.Reset + e.Timeout
}

// Latency is the distribution of latencies, from sending a request to the last byte of its response. It includes
// complete responses that count as errors. With a rate a latency begins when the request was due, so that all requests
// that should have been sent while the server stalled count the stall.
type Latency struct {
	Min   float64 `json:"min"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P75   float64 `json:"p75"`
	P90   float64 `json:"p90"`
	P99   float64 `json:"p99"`
	P999  float64 `json:"p99_9"`
	P9999 float64 `json:"p99_99"`
	Max   float64 `json:"max"`
	Stdev float64 `json:"stdev"`
}

// Parts holds the times of connecting and of parts of responses. A part that did not occur is absent.
type Parts struct {
	Lookup    *Part `json:"lookup,omitempty"`     // of the host's address, once
	Connect   *Part `json:"connect,omitempty"`    // TCP connect, also of connections opened before counting
	TLS       *Part `json:"tls,omitempty"`        // handshake
	Upgrade   *Part `json:"upgrade,omitempty"`    // to WebSocket
	FirstByte *Part `json:"first_byte,omitempty"` // of a response, with the same start as its latency
}

// Part is the distribution of one part, in microseconds.
type Part struct {
	Count int64   `json:"count"`
	Min   float64 `json:"min"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

// Bar is a bar of a histogram: the number of values greater than From and at most To.
type Bar struct {
	From  float64 `json:"from_us"`
	To    float64 `json:"to_us"`
	Count int64   `json:"count"`
}

// Outage is a time without any connection, in seconds since counting began.
type Outage struct {
	From float64 `json:"from_s"`
	To   float64 `json:"to_s"`
}

// URL has the results for one of several URLs.
type URL struct {
	URL      string  `json:"url"`
	Requests int64   `json:"requests"` // successful
	Errors   int64   `json:"errors"`
	Mean     float64 `json:"mean_us"` // latency of all complete responses
	Max      float64 `json:"max_us"`
}

// CPU is CPU time in seconds.
type CPU struct {
	User   float64 `json:"user"`
	System float64 `json:"system"`
}

// Total returns the sum.
func (c CPU) Total() float64 { return c.User + c.System }

// Target is the resource usage of the process that -pid names. The kernel counts CPU time in steps of 10 ms. The
// instruction counts, in user mode and in the kernel on behalf of the process, are absent where the processor cannot
// count them.
type Target struct {
	PID    int     `json:"pid"`
	User   float64 `json:"user_s"`
	System float64 `json:"system_s"`
	RSS    int64   `json:"rss_bytes"` // resident memory at the end

	UserInstructions   int64 `json:"user_instructions,omitempty"`
	KernelInstructions int64 `json:"kernel_instructions,omitempty"`
}

// Second has the results of one second of the run. Its latencies are those of responses that arrived in it.
type Second struct {
	At       float64 `json:"at_s"` // its end, since counting began
	Requests int64   `json:"requests"`
	Errors   int64   `json:"errors"`
	Open     int     `json:"open"` // open connections
	P50      float64 `json:"p50_us"`
	P99      float64 `json:"p99_us"`
}

// Point is a point of the latency curve: all requests but one in 10^nines took at most us microseconds.
type Point struct{ Nines, US float64 }
