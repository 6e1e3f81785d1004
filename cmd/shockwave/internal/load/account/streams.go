package account

import "strings"

// Streams is what a run over HTTP/2 or HTTP/3 learned about the server while counting.
type Streams struct {
	MaxStreams int64            // smallest limit of concurrent streams that the server announced; 0: none, as over HTTP/3
	GoAways    map[string]int64 // by the name of the code (RFC 9113 §7); over HTTP/3 it has none, and is H3_NO_ERROR
	Resets     map[string]int64 // of streams, by the name of the code (RFC 9113 §7, RFC 9114 §8.1)
	Words      string           // debug data of the first GOAWAY whose code is not NO_ERROR
	Fault      string           // first protocol violation of the server
}

// Grant records a limit of concurrent streams.
func (h *Streams) Grant(n uint32) {
	if h.MaxStreams == 0 || int64(n) < h.MaxStreams {
		h.MaxStreams = int64(n)
	}
}

// GoAway counts a GOAWAY. words is its debug data if its code is an error: it is meant for people (RFC 9113 §6.8) and may be any
// bytes.
func (h *Streams) GoAway(code string, words []byte) {
	increment(&h.GoAways, code, 1)
	if len(words) > 0 && h.Words == "" {
		h.Words = strings.ToValidUTF8(string(words[:min(len(words), 100)]), "")
	}
}

// Reset counts a stream that the server reset.
func (h *Streams) Reset(code string) { increment(&h.Resets, code, 1) }

// NoteFault records err, if it is the first one and not nil.
func (h *Streams) NoteFault(err error) {
	if h.Fault == "" && err != nil {
		h.Fault = err.Error()
	}
}

// add adds o to h.
func (h *Streams) add(o *Streams) {
	if o.MaxStreams > 0 {
		h.Grant(uint32(o.MaxStreams))
	}
	for name, n := range o.GoAways {
		increment(&h.GoAways, name, n)
	}
	for name, n := range o.Resets {
		increment(&h.Resets, name, n)
	}
	if h.Words == "" {
		h.Words = o.Words
	}
	if h.Fault == "" {
		h.Fault = o.Fault
	}
}

// increment adds n to the count called name.
func increment(all *map[string]int64, name string, n int64) {
	if *all == nil {
		*all = map[string]int64{}
	}
	(*all)[name] += n
}
