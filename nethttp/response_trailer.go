package nethttp

import (
	"net/http"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/nethttp/internal/headermap"
)

// announceTrailersLocked records and sends the names in a Trailer field; their values are read from the Header map when
// the handler has returned. Names that must not be trailers are left out, since they will not be sent.
func (w *response) announceTrailersLocked(f *headermap.Line) {
	rare := w.extrasLocked()
	for _, value := range f.Values {
		var names []string
		for name := range http1.Elements(value) {
			if key := http.CanonicalHeaderKey(name); trailerAllowed(key) {
				rare.trailers = append(rare.trailers, key)
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			w.nw.Header().Add(f.Key, strings.Join(names, ", "))
		}
	}
}

// sendTrailersLocked passes the trailer fields to the native writer: those that were announced, and those whose keys
// have http.TrailerPrefix.
func (w *response) sendTrailersLocked() {
	if w.noTrailers {
		return
	}
	if w.extra != nil {
		for _, key := range w.extra.trailers {
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

// trailerAllowed reports whether the field called key may be a trailer. Other fields are neither accepted in a
// received trailer section nor sent in one (RFC 9110 §6.5.1).
func trailerAllowed(key string) bool {
	return headermap.IsToken(key) && !http1.ForbiddenTrailer([]byte(key))
}
