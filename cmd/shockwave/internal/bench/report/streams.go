package report

import (
	"maps"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

// Streams is the part of the report that is specific to HTTP/2 and HTTP/3. Error codes have the names of RFC 9113 §7 and RFC
// 9114 §8.1.
type Streams struct {
	MaxStreams int64            `json:"max_concurrent_streams"` // the server's limit; 0: not announced
	GoAways    map[string]int64 `json:"goaways"`                // by code
	Resets     map[string]int64 `json:"resets"`                 // streams that the server reset, by code
	Words      string           `json:"goaway_words,omitempty"` // debug data of the first GOAWAY with an error
	Fault      string           `json:"fault,omitempty"`        // the first protocol violation of the server
}

// newStreams returns nil if h is nil, as for runs over other protocols.
func newStreams(h *account.Streams) *Streams {
	if h == nil {
		return nil
	}
	b := &Streams{h.MaxStreams, map[string]int64{}, map[string]int64{}, h.Words, h.Fault}
	maps.Copy(b.GoAways, h.GoAways)
	maps.Copy(b.Resets, h.Resets)
	return b
}
