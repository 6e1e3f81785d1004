package nethttp

import (
	"net/http"

	"github.com/shockwave-go/shockwave"
)

// fillHeader makes x.req.Header of the head's lines and returns the value of Host, which stays out of the map. Keys
// and values are parts of head; all values stand in one slice.
func (x *exchange) fillHeader(head string, lines *shockwave.Header) (host string) {
	n := lines.Len()
	values := x.values[:0]
	if n > len(x.values) {
		values = make([]string, 0, n)
	}
	// Host will not be in it. Up to eight keys a map is one group, beyond that it is a table: every key counts.
	h := make(http.Header, max(0, n-1))
	for i := range n {
		l := lines.Line(i)
		key := canonicalKey(head[l.Name.Start:l.Name.End])
		value := head[l.Value.Start:l.Value.End]
		if key == "Host" {
			host = value
			continue
		}
		if before, ok := h[key]; ok {
			h[key] = append(before, value)
			continue
		}
		values = append(values, value)
		// The capacity ends with the value: appending to one key must not write over the next.
		h[key] = values[len(values)-1 : len(values) : len(values)]
	}
	// Pragma: no-cache is what Cache-Control: no-cache was called in HTTP/1.0 (RFC 9111 §5.4).
	if p := h["Pragma"]; len(p) > 0 && p[0] == "no-cache" {
		if _, ok := h["Cache-Control"]; !ok {
			h["Cache-Control"] = []string{"no-cache"}
		}
	}
	x.req.Header = h
	return host
}
