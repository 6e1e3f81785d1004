package headermap

import (
	"net/http"

	"github.com/shockwave-go/shockwave"
)

// MakeHeader returns the map for lines, whose bytes are text, and the value of the field called apart, which is not in
// the map. Keys, which are in canonical form, and values are substrings of text. values is empty, and should have room
// for one value for each line in the map.
func MakeHeader(lines *shockwave.Header, text string, values []string, apart string) (h http.Header, apartValue string) {
	n := lines.Len()
	// A map of up to eight keys is a single group, a larger one needs a table.
	h = make(http.Header, cap(values))
	repeated := false // a name occurs twice: look each one up before it is stored
	for i := 0; i < n; i++ {
		l := lines.Line(i)
		key := CanonicalKey(text[l.Name.Start:l.Name.End])
		value := text[l.Value.Start:l.Value.End]
		if key == apart {
			apartValue = value
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
	return h, apartValue
}

// PragmaToCacheControl adds Cache-Control: no-cache to a head with only Pragma: no-cache, its HTTP/1.0 form (RFC
// 9111 §5.4).
func PragmaToCacheControl(h http.Header) {
	if p := h["Pragma"]; len(p) == 0 || p[0] != "no-cache" {
		return
	}
	if _, ok := h["Cache-Control"]; !ok {
		h["Cache-Control"] = []string{"no-cache"}
	}
}
