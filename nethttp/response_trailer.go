package nethttp

import (
	"net/http"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/http1"
)

// announce notes and sends the names of a Trailer field: their values are read from the Header map when the handler
// has returned. Names that must not be trailers are left out, since they will not come. w.mu is held.
func (w *response) announce(f *headField) {
	rare := w.rarely()
	for _, value := range f.values {
		var names []string
		for name := range http1.Elements(value) {
			if key := http.CanonicalHeaderKey(name); trailerAllowed(key) {
				rare.trailers = append(rare.trailers, key)
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			w.nw.Header().Add(f.key, strings.Join(names, ", "))
		}
	}
}

// sendTrailers hands the trailer fields to the native writer: those that were announced, and those whose keys carry
// http.TrailerPrefix. w.mu is held.
func (w *response) sendTrailers() {
	if w.rare != nil {
		for _, key := range w.rare.trailers {
			for _, value := range w.header[key] {
				w.nw.Trailer().Add(key, cleanValue(value))
			}
		}
	}
	var prefixed []string
	for key := range w.header {
		name, ok := strings.CutPrefix(key, http.TrailerPrefix)
		if ok && trailerAllowed(http.CanonicalHeaderKey(name)) {
			prefixed = append(prefixed, key)
		}
	}
	slices.Sort(prefixed)
	for _, key := range prefixed {
		for _, value := range w.header[key] {
			w.nw.Trailer().Add(key[len(http.TrailerPrefix):], cleanValue(value))
		}
	}
}

// trailerAllowed reports whether the field called key may be a trailer: the wire takes others from no trailer section and
// puts them into none (RFC 9110 §6.5.1).
func trailerAllowed(key string) bool { return isToken(key) && !http1.ForbiddenTrailer([]byte(key)) }
