package nethttp

import (
	"net/http"

	"github.com/shockwave-go/shockwave"
)

// fillHeader fills x.req.Header with the lines of the head and returns the value of Host, which is not in the map.
// Keys and values are substrings of head. All values are stored in values, which has enough capacity for them.
func (x *exchange) fillHeader(head string, lines *shockwave.Header, values []string) (host string) {
	n := lines.Len()
	// Do not count Host: a map of up to eight keys is a single group, a larger one needs a table.
	h := make(http.Header, max(0, n-1))
	repeated := false // a name occurs twice: look each one up before it is stored
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
		// Limit the capacity: appending to this key must not overwrite the next value.
		h[key] = values[len(values)-1 : len(values) : len(values)]
		if !repeated && len(h) < len(values) {
			// The name was there already, and its value is lost. Start again with repeated set.
			clear(h)
			values, repeated, i = values[:0], true, -1
		}
	}
	pragmaToCacheControl(h)
	x.req.Header = h
	return host
}

// pragmaToCacheControl adds Cache-Control: no-cache to a request with only Pragma: no-cache, its HTTP/1.0 form (RFC
// 9111 §5.4).
func pragmaToCacheControl(h http.Header) {
	if p := h["Pragma"]; len(p) == 0 || p[0] != "no-cache" {
		return
	}
	if _, ok := h["Cache-Control"]; !ok {
		h["Cache-Control"] = []string{"no-cache"}
	}
}
