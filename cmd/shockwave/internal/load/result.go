package load

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Second is what happened in one second of the run. The last one of a run may be shorter; less than a tenth is left out.
type Second struct {
	At       time.Duration // its end, since counting began
	Requests int64         // answered as expected
	Errors   int64
	Open     int // connections
	P50, P99 time.Duration
}

// Result is the account of a run. It is the caller's.
type Result struct {
	Elapsed    time.Duration // of what was counted
	Connecting time.Duration // until all connections were open
	Requests   int64         // answered as expected: in time, status 2xx or 3xx, the whole body; or echoed; or one way: left
	Unanswered int64         // in flight when the time was over; no errors
	Late       int64         // with a rate: requests that were sent more than 10 ms after their moment
	Unsent     int64         // with a rate: requests whose moment had come and that were never sent
	BytesIn    int64         // as counted at the transport
	BytesOut   int64
	Reconnects int64 // connections that the server closed in good order (Connection: close, or idle) and that were opened again
	Errors     Errors
	Statuses   map[int]int64 // of HTTP
	HTTP2      *HTTP2        // nil over anything else
	OneWay     *OneWay       // nil unless messages go one way
	// Latency is in nanoseconds: from the moment a request was sent to the last byte of its answer; with a rate from the
	// moment it should have been sent, which corrects for coordinated omission. It holds every answer that came
	// whole, errors too.
	Latency *hdrhistogram.Histogram
	Parts   Parts
	Outages []Outage // in their order
	Targets []Target // of Config.URL and those of Config.More, in their order; nil if there is one only
	Seconds []Second
}

// OneWay is how connections ended on which messages went one way. Those that had ended before are among the Errors, one at
// least for each.
type OneWay struct {
	Conns     int64         // that were open when the time was over
	Confirmed int64         // of those: the other side has ended its half, too, so it has read everything
	Parting   time.Duration // until all of them had, or the last that did; Elapsed has it in it
}

// Outage is a time in which there was no connection at all, and none could be opened. Those under a tenth of a second are
// left out.
type Outage struct{ From, To time.Duration } // since counting began

// Target is what happened with one of several URLs.
type Target struct {
	Requests int64 // answered as expected
	Errors   int64
	Mean     time.Duration // of every answer that came whole
	Max      time.Duration

	answers, sum int64
}

// note counts an answer that came whole.
func (t *Target) note(ns int64, right bool) {
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

// Errors counts what went wrong, by kind. Except for Connect, and for bytes that answer no request, each is a request
// that was sent.
type Errors struct {
	Connect  int64 // no connection, no TLS, or no WebSocket; before the first requests leave only what lasts for Timeout
	Protocol int64 // the answer is no HTTP, or breaks RFC 9113, RFC 6455 or the wire of sockets, or is none to this request
	Status   int64 // 4xx or 5xx; with Same also another status than the first answer's
	Length   int64 // the body was cut short; with Same also another length than the first answer's; or the echo has another
	Content  int64 // the echo has other bytes, or another type, than what was sent
	Closed   int64 // the connection ended with requests unanswered; one way: before the run had ended it, which is one at least
	Reset    int64 // over HTTP/2: the server reset the stream
	Timeout  int64
}

// Total is the sum of all kinds.
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
