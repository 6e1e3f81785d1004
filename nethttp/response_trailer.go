package nethttp

import (
	"net/http"
	"slices"
	"strings"
)

// announce notes the names of a Trailer field: their values are read from the Header map when the handler has
// returned. w.mu is held.
func (w *response) announce(field string) {
	for name := range elements(field) {
		if key := http.CanonicalHeaderKey(name); trailerAllowed(key) {
			w.trailers = append(w.trailers, key)
		}
	}
}

// sendTrailers hands the trailer fields to the native writer: those that were announced, and those whose keys carry
// http.TrailerPrefix. w.mu is held.
func (w *response) sendTrailers() {
	for _, key := range w.trailers {
		for _, value := range w.header[key] {
			w.nw.Trailer().Add(key, cleanValue(value))
		}
	}
	var prefixed []string
	for key := range w.header {
		name, ok := strings.CutPrefix(key, http.TrailerPrefix)
		if ok && isToken(name) && trailerAllowed(http.CanonicalHeaderKey(name)) {
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

// barredTrailers are fields that mean something before the body, or frame it: no trailers (RFC 9110 §6.5.1).
var barredTrailers = map[string]bool{
	"Authorization": true, "Cache-Control": true, "Connection": true, "Content-Encoding": true,
	"Content-Length": true, "Content-Range": true, "Content-Type": true, "Expect": true, "Host": true,
	"Keep-Alive": true, "Max-Forwards": true, "Pragma": true, "Proxy-Authenticate": true,
	"Proxy-Authorization": true, "Proxy-Connection": true, "Range": true, "Realm": true, "Te": true, "Trailer": true,
	"Transfer-Encoding": true, "Www-Authenticate": true,
}

// trailerAllowed tells whether the field called key, in canonical form, may be a trailer.
func trailerAllowed(key string) bool { return !barredTrailers[key] && !strings.HasPrefix(key, "If-") }
