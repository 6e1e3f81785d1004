package nethttp

import (
	"crypto/tls"
	"maps"
	"net/http"
	"sync"

	"github.com/shockwave-go/shockwave/internal/httpclient"
)

// RegisterProtocol has rt do the requests to URLs with a scheme. If it fails with http.ErrSkipAltProtocol the Transport does
// that request itself. It panics if the scheme has been registered before.
func (t *Transport) RegisterProtocol(scheme string, rt http.RoundTripper) {
	t.mu.Lock()
	defer t.mu.Unlock()
	schemes := map[string]http.RoundTripper{}
	if before := t.alt.Load(); before != nil {
		maps.Copy(schemes, *before)
	}
	if schemes[scheme] != nil {
		panic("protocol " + scheme + " already registered")
	}
	schemes[scheme] = rt
	t.alt.Store(&schemes)
}

// registered returns who does a request instead; nil if nobody does.
func (t *Transport) registered(req *http.Request) http.RoundTripper {
	schemes := t.alt.Load()
	if schemes == nil || req.URL.Scheme == "https" && wantsWebSocket(req.Header) {
		return nil
	}
	return (*schemes)[req.URL.Scheme]
}

// takeover holds who has taken connections over, by a function of TLSNextProto.
type takeover struct {
	mu sync.Mutex
	by map[httpclient.Key]http.RoundTripper
}

// takenOver is the error of a dial whose connection is not ours any more.
type takenOver struct{ by http.RoundTripper }

// Error says what a user never sees.
func (takenOver) Error() string { return "nethttp: TLSNextProto has taken the connection over" }

// find returns who does requests for key; nil if nobody does.
func (o *takeover) find(key httpclient.Key) http.RoundTripper {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.by[key]
}

// offer has the function for what tc has chosen take it over, if there is one.
func (t *Transport) offer(key httpclient.Key, addr string, tc *tls.Conn, chosen string) error {
	next := t.TLSNextProto[chosen]
	if chosen == "" || next == nil {
		return nil
	}
	rt := next(addr, tc)
	if e, ok := rt.(interface{ RoundTripErr() error }); ok {
		return e.RoundTripErr()
	}
	o := &t.takeover
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.by == nil {
		o.by = map[httpclient.Key]http.RoundTripper{}
	}
	o.by[key] = rt
	return takenOver{rt}
}

// forget has the next request for key dial again, if rt has done the last ones.
func (o *takeover) forget(key httpclient.Key, rt http.RoundTripper) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.by[key] == rt {
		delete(o.by, key)
	}
}

// closeIdle forgets all.
func (o *takeover) closeIdle() {
	o.mu.Lock()
	by := o.by
	o.by = nil
	o.mu.Unlock()
	for _, rt := range by {
		if c, ok := rt.(interface{ CloseIdleConnections() }); ok {
			c.CloseIdleConnections()
		}
	}
}
