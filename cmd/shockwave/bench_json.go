package main

import (
	"encoding/json"
	"io"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// benchReport is what bench has to say about a run, in which the messages of sockets are the requests, and what -json
// writes: one object with these members; of several sockets a list of them. Times have their unit in the name: _s are seconds and _us microseconds, both
// with decimals. Unless it says otherwise, a figure is about the time that was counted: after connecting and after the
// warm-up.
//
// Members may be added later; none of these will change its meaning.
type benchReport struct {
	Version    string        `json:"version"`            // of this program
	Date       time.Time     `json:"date"`               // when the run ended (RFC 3339)
	Title      string        `json:"title,omitempty"`    // as -title says
	Notes      []string      `json:"notes,omitempty"`    // as -note says
	URL        string        `json:"url"`                // without its password; of several the first
	Method     string        `json:"method"`             // of WebSocket: the handshake's; empty over tcp and tls
	Conns      int           `json:"conns"`              // connections that were asked for
	Pipeline   int           `json:"pipeline"`           // requests in flight on each; over HTTP/2 streams at once
	Rate       float64       `json:"rate"`               // requests per second that were asked for; 0: as many as possible
	BodyBytes  int           `json:"body_bytes"`         // sent with each request; of sockets: a message's, uncompressed
	Elapsed    float64       `json:"elapsed_s"`          // how long was counted, outages too
	Connecting float64       `json:"connecting_s"`       // until all connections were open
	Requests   int64         `json:"requests"`           // answered as expected: in time, 2xx or 3xx, the whole body; or echoed; one way: left
	PerSecond  float64       `json:"requests_per_s"`     // of those, over elapsed_s
	BytesIn    int64         `json:"bytes_in"`           // counted at the transport, like bytes_out
	BytesOut   int64         `json:"bytes_out"`          //
	Errors     benchErrors   `json:"errors"`             // what went wrong, by kind
	Unanswered int64         `json:"unanswered"`         // in flight at the end; no errors
	Late       int64         `json:"late"`               // with a rate: sent more than 10 ms after they were due
	Unsent     int64         `json:"unsent"`             // with a rate: due, and never sent
	Reconnects int64         `json:"reconnects"`         // connections that the server closed in good order
	Statuses   map[int]int64 `json:"statuses"`           // answers by status code
	Latency    benchLatency  `json:"latency_us"`         // of all answers; 0 if there was none
	Parts      benchParts    `json:"parts_us"`           // what connecting and answers are made of
	Histogram  []benchBar    `json:"histogram"`          // of latency_us
	Outages    []benchOutage `json:"outages"`            // when there was no connection and none was to be had
	HTTP2      *benchHTTP2   `json:"http2,omitempty"`    // absent over anything else
	OneWay     *benchOneWay  `json:"one_way,omitempty"`  // absent where messages come back
	Prefixed   bool          `json:"prefixed,omitempty"` // over WebSocket: behind their lengths
	URLs       []benchURL    `json:"urls,omitempty"`     // each of several; absent if there is one
	CPU        benchCPU      `json:"cpu_s"`              // of this program
	Target     *benchTarget  `json:"target,omitempty"`   // of the process that -pid names; absent without it
	Seconds    []benchSecond `json:"seconds"`            // one after the other; the last may be a part of one

	Thresholds []benchThreshold `json:"thresholds,omitempty"` // what -fail asks for

	what          subject
	same          bool // answers must have one length
	histogram     *hdrhistogram.Histogram
	message       load.Message  // of WebSocket
	curve         []benchPoint  // latency by percentile
	asked         time.Duration // how long should have been counted
	askedRequests int64         // how many should have been sent; 0: as many as fit
	timeout       time.Duration
	processors    int    // that this program may use at once
	command       string // how to run it again

	toleratesErrors bool // -fail says how many are too many
}

// benchErrors counts what went wrong: connect (no connection, no TLS, or no WebSocket), protocol (the answer is no
// HTTP, or breaks the rules of WebSocket, or is no message), status (4xx or 5xx; with -same also another than the first), length (the body
// was cut short, or with -same has another length than the first from its URL; or the echo has another), content (the
// echo has other bytes), closed (the connection ended with requests unanswered), reset (the server reset the stream, over
// HTTP/2), timeout (no answer in time). One way closed is a connection that ended before the run was over, and timeout what
// was not taken, or not read to the end, in time.
type benchErrors struct {
	Connect  int64 `json:"connect"`
	Protocol int64 `json:"protocol"`
	Status   int64 `json:"status"`
	Length   int64 `json:"length"`
	Content  int64 `json:"content"`
	Closed   int64 `json:"closed"`
	Reset    int64 `json:"reset"`
	Timeout  int64 `json:"timeout"`
}

func (e benchErrors) total() int64 {
	return e.Connect + e.Protocol + e.Status + e.Length + e.Content + e.Closed + e.Reset + e.Timeout
}

// benchLatency is how long answers took, errors among them that came whole: from the moment a request was sent to the
// last byte of its answer. With a rate it is from the moment it was due, so that a server which stops for a second is
// charged with all the requests that should have been sent meanwhile.
type benchLatency struct {
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

// benchParts are the times that connections and answers are made of; what there was none of is absent.
type benchParts struct {
	Lookup    *benchPart `json:"lookup,omitempty"`     // of the host's address; it is done once
	Connect   *benchPart `json:"connect,omitempty"`    // of TCP; of all connections, before counting began too
	TLS       *benchPart `json:"tls,omitempty"`        // the handshake
	Upgrade   *benchPart `json:"upgrade,omitempty"`    // to WebSocket
	FirstByte *benchPart `json:"first_byte,omitempty"` // of an answer, counted as its latency is
}

// benchPart is one of them, in microseconds.
type benchPart struct {
	Count int64   `json:"count"`
	Min   float64 `json:"min"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

// benchBar is a column of a histogram: so many took more than From and no more than To.
type benchBar struct {
	From  float64 `json:"from_us"`
	To    float64 `json:"to_us"`
	Count int64   `json:"count"`
}

// benchOutage is a time without a connection, in seconds since counting began.
type benchOutage struct {
	From float64 `json:"from_s"`
	To   float64 `json:"to_s"`
}

// benchURL is what happened with one of several URLs.
type benchURL struct {
	URL      string  `json:"url"`
	Requests int64   `json:"requests"` // answered as expected
	Errors   int64   `json:"errors"`
	Mean     float64 `json:"mean_us"` // latency of every answer that came whole
	Max      float64 `json:"max_us"`
}

// benchCPU is processor time in seconds.
type benchCPU struct {
	User   float64 `json:"user"`
	System float64 `json:"system"`
}

func (c benchCPU) total() float64 { return c.User + c.System }

// benchTarget is the process that -pid names. The system counts its time in steps of 10 ms. The instructions that it
// executed itself, and those of the kernel on its behalf, are absent where the processor does not let them be counted.
type benchTarget struct {
	PID    int     `json:"pid"`
	User   float64 `json:"user_s"`
	System float64 `json:"system_s"`
	RSS    int64   `json:"rss_bytes"` // resident memory at the end

	UserInstructions   int64 `json:"user_instructions,omitempty"`
	KernelInstructions int64 `json:"kernel_instructions,omitempty"`
}

// benchSecond is what happened in one second of the run. Its latencies are of the answers that came in it.
type benchSecond struct {
	At       float64 `json:"at_s"` // when it was over, since counting began
	Requests int64   `json:"requests"`
	Errors   int64   `json:"errors"`
	Open     int     `json:"open"` // connections
	P50      float64 `json:"p50_us"`
	P99      float64 `json:"p99_us"`
}

func (r *benchReport) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
