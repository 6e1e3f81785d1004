package load

import (
	"strings"

	"github.com/shockwave-go/shockwave/http2"
)

// HTTP2 is what a run over HTTP/2 saw of the server's ways, while it was counted.
type HTTP2 struct {
	MaxStreams int64            // the fewest streams at once that the server takes on a connection; 0: it has not said
	GoAways    map[string]int64 // by their codes' names (RFC 9113 §7)
	Resets     map[string]int64 // RST_STREAM, likewise
	Words      string           // that came with the first GOAWAY which had a code other than NO_ERROR
	Fault      string           // the first rule of HTTP/2 that the server has broken, in words
}

// grant notes how many streams at once a connection may have.
func (h *HTTP2) grant(n uint32) {
	if h.MaxStreams == 0 || int64(n) < h.MaxStreams {
		h.MaxStreams = int64(n)
	}
}

// goAway counts a GOAWAY. Its words are for people (RFC 9113 §6.8), and may be anything.
func (h *HTTP2) goAway(code http2.Code, words []byte) {
	tick(&h.GoAways, code.String(), 1)
	if code != http2.NoError && h.Words == "" {
		h.Words = strings.ToValidUTF8(string(words[:min(len(words), 100)]), "")
	}
}

// reset counts an RST_STREAM.
func (h *HTTP2) reset(code http2.Code) { tick(&h.Resets, code.String(), 1) }

// fault keeps the first error.
func (h *HTTP2) fault(err error) {
	if h.Fault == "" {
		h.Fault = err.Error()
	}
}

// add takes in what o has.
func (h *HTTP2) add(o *HTTP2) {
	if o.MaxStreams > 0 {
		h.grant(uint32(o.MaxStreams))
	}
	for name, n := range o.GoAways {
		tick(&h.GoAways, name, n)
	}
	for name, n := range o.Resets {
		tick(&h.Resets, name, n)
	}
	if h.Words == "" {
		h.Words = o.Words
	}
	if h.Fault == "" {
		h.Fault = o.Fault
	}
}

// tick adds to one of several counts.
func tick(all *map[string]int64, name string, n int64) {
	if *all == nil {
		*all = map[string]int64{}
	}
	(*all)[name] += n
}
