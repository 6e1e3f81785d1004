package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load"
)

// benchStreams is the part of the report that is specific to HTTP/2 and HTTP/3. Error codes have the names of RFC 9113 §7 and RFC
// 9114 §8.1.
type benchStreams struct {
	MaxStreams int64            `json:"max_concurrent_streams"` // the server's limit; 0: not announced
	GoAways    map[string]int64 `json:"goaways"`                // by code
	Resets     map[string]int64 `json:"resets"`                 // streams that the server reset, by code
	Words      string           `json:"goaway_words,omitempty"` // debug data of the first GOAWAY with an error
	Fault      string           `json:"fault,omitempty"`        // the first protocol violation of the server
}

// newBenchStreams returns nil if h is nil, as for runs over other protocols.
func newBenchStreams(h *load.Streams) *benchStreams {
	if h == nil {
		return nil
	}
	b := &benchStreams{h.MaxStreams, map[string]int64{}, map[string]int64{}, h.Words, h.Fault}
	maps.Copy(b.GoAways, h.GoAways)
	maps.Copy(b.Resets, h.Resets)
	return b
}

// streams returns the part of the report about streams, nil over other protocols.
func (r *benchReport) streams() *benchStreams { return cmp.Or(r.HTTP2, r.HTTP3) }

// aboutStreams returns the lines of the report that are specific to HTTP/2 and HTTP/3.
func (r *benchReport) aboutStreams() (list []finding) {
	h := r.streams()
	if h == nil {
		return nil
	}
	if h.MaxStreams > 0 && h.MaxStreams < int64(r.Pipeline) {
		list = append(list, finding{"streams", fmt.Sprintf("the server takes %s at once on a connection, -m asks for %s",
			grouped(h.MaxStreams), grouped(int64(r.Pipeline)))})
	}
	if len(h.GoAways) > 0 {
		text := byCode(h.GoAways) + " from the server"
		if h.Words != "" {
			text += fmt.Sprintf(": %q", h.Words)
		}
		list = append(list, finding{"goaway", text})
	}
	return list
}

// resetText describes the errors of kind reset.
func (h *benchStreams) resetText() string {
	if h == nil {
		return ""
	}
	return "the server reset the stream: " + byCode(h.Resets)
}

// protocolErrorText describes the errors of kind protocol.
func (r *benchReport) protocolErrorText() string {
	switch h := r.streams(); {
	case h != nil && h.Fault != "":
		_, fault, _ := strings.Cut(h.Fault, ": ")
		return "the answer breaks the rules of " + r.protocol() + ": " + fault
	case h != nil:
		return "the answer is no " + r.protocol()
	}
	switch r.scheme() {
	case "tcp", "tls":
		return "what came is no message, or one that nobody asked for"
	}
	return r.inWords("the answer is no HTTP", "the answer breaks the rules of WebSocket")
}

// protocol returns the name of the protocol.
func (r *benchReport) protocol() string {
	switch {
	case r.HTTP2 != nil:
		return "HTTP/2"
	case r.HTTP3 != nil:
		return "HTTP/3"
	}
	switch scheme := r.scheme(); {
	case scheme == "tcp" || scheme == "tls":
		return scheme
	case r.Prefixed:
		return "WebSocket, prefixed"
	}
	return r.inWords("HTTP/1.1", "WebSocket")
}

// byCode formats counts with their names, the largest first.
func byCode(counts map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s × %s", grouped(counts[name]), name)
	}
	return strings.Join(names, ", ")
}
