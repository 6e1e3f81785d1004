package roundtrip

import (
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
)

// altSchemes holds the http.RoundTrippers of other schemes. The zero value has none.
type altSchemes struct {
	mu      sync.Mutex // held while schemes is replaced
	schemes atomic.Pointer[map[string]http.RoundTripper]
}

// register makes rt handle the requests with a scheme. It panics if another one does.
func (t *altSchemes) register(scheme string, rt http.RoundTripper) {
	t.mu.Lock()
	defer t.mu.Unlock()
	schemes := map[string]http.RoundTripper{}
	if before := t.schemes.Load(); before != nil {
		maps.Copy(schemes, *before)
	}
	if schemes[scheme] != nil {
		panic("protocol " + scheme + " already registered")
	}
	schemes[scheme] = rt
	t.schemes.Store(&schemes)
}

// find returns the http.RoundTripper registered for the scheme of a request, or nil if there is none.
func (t *altSchemes) find(req *http.Request) http.RoundTripper {
	schemes := t.schemes.Load()
	if schemes == nil || req.URL.Scheme == "https" && wantsWebSocket(req.Header) {
		return nil
	}
	return (*schemes)[req.URL.Scheme]
}
