package load

import (
	"strings"

	"github.com/shockwave-go/shockwave/http2"
)

// HTTP2 is what a run over HTTP/2 learned about the server while counting.
type HTTP2 struct {
	MaxStreams int64            // smallest limit of concurrent streams that the server announced; 0: none
	GoAways    map[string]int64 // by the name of the code (RFC 9113 §7)
	Resets     map[string]int64 // RST_STREAM, likewise
	Words      string           // debug data of the first GOAWAY whose code is not NO_ERROR
	Fault      string           // first protocol violation of the server
}

// grant records a limit of concurrent streams.
func (h *HTTP2) grant(n uint32) {
	if h.MaxStreams == 0 || int64(n) < h.MaxStreams {
		h.MaxStreams = int64(n)
	}
}

// goAway counts a GOAWAY. Its debug data is meant for people (RFC 9113 §6.8) and may be any bytes.
func (h *HTTP2) goAway(code http2.Code, words []byte) {
	increment(&h.GoAways, code.String(), 1)
	if code != http2.NoError && h.Words == "" {
		h.Words = strings.ToValidUTF8(string(words[:min(len(words), 100)]), "")
	}
}

// reset counts an RST_STREAM.
func (h *HTTP2) reset(code http2.Code) { increment(&h.Resets, code.String(), 1) }

// fault records the first error.
func (h *HTTP2) fault(err error) {
	if h.Fault == "" {
		h.Fault = err.Error()
	}
}

// add adds o to h.
func (h *HTTP2) add(o *HTTP2) {
	if o.MaxStreams > 0 {
		h.grant(uint32(o.MaxStreams))
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
