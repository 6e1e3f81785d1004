package nethttp

import (
	"net/http"

	"github.com/shockwave-go/shockwave"
)

// fillHeader makes x.req.Header of the head's lines and returns the value of Host, which stays out of the map. Keys
// and values are parts of head; all values stand in the one slice, which has room for them.
func (x *exchange) fillHeader(head string, lines *shockwave.Header, values []string) (host string) {
	n := lines.Len()
	// Host will not be in it. Up to eight keys a map is one group, beyond that it is a table: every key counts.
	h := make(http.Header, max(0, n-1))
	repeated := false // a name comes twice: look before each step
	for i := 0; i < n; i++ {
		l := lines.Line(i)
		key := canonicalKey(head[l.Name.Start:l.Name.End])
		value := head[l.Value.Start:l.Value.End]
		if key == "Host" {
			host = value
			continue
		}
		if repeated {
			if before, ok := h[key]; ok {
				h[key] = append(before, value)
				continue
			}
		}
		values = append(values, value)
		// The capacity ends with the value: appending to one key must not write over the next.
		h[key] = values[len(values)-1 : len(values) : len(values)]
		if !repeated && len(h) < len(values) {
			// That has overwritten an earlier value. Begin again, this time with care.
			clear(h)
			values, repeated, i = values[:0], true, -1
		}
	}
	adoptPragma(h)
	x.req.Header = h
	return host
}

// adoptPragma says Cache-Control: no-cache where a request says it in the words of HTTP/1.0 (RFC 9111 §5.4).
func adoptPragma(h http.Header) {
	if p := h["Pragma"]; len(p) == 0 || p[0] != "no-cache" {
		return
	}
	if _, ok := h["Cache-Control"]; !ok {
		h["Cache-Control"] = []string{"no-cache"}
	}
}
