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

// altRoundTripper returns who does a request instead; nil if nobody does.
func (t *Transport) altRoundTripper(req *http.Request) http.RoundTripper {
	schemes := t.alt.Load()
	if schemes == nil || req.URL.Scheme == "https" && wantsWebSocket(req.Header) {
		return nil
	}
	return (*schemes)[req.URL.Scheme]
}

// nextProtoTrippers holds who has taken connections over, by a function of TLSNextProto.
type nextProtoTrippers struct {
	mu    sync.Mutex
	byKey map[httpclient.Key]http.RoundTripper
}

// takenOverError is the error of a dial whose connection is not ours any more.
type takenOverError struct{ rt http.RoundTripper }

// Error says what a user never sees.
func (takenOverError) Error() string { return "nethttp: TLSNextProto has taken the connection over" }

// find returns who does requests for key; nil if nobody does.
func (o *nextProtoTrippers) find(key httpclient.Key) http.RoundTripper {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.byKey[key]
}

// tryNextProto has the function for what tc has chosen take it over, if there is one.
func (t *Transport) tryNextProto(key httpclient.Key, addr string, tc *tls.Conn, chosen string) error {
	next := t.TLSNextProto[chosen]
	if chosen == "" || next == nil {
		return nil
	}
	rt := next(addr, tc)
	if e, ok := rt.(interface{ RoundTripErr() error }); ok {
		return e.RoundTripErr()
	}
	o := &t.nextProto
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byKey == nil {
		o.byKey = map[httpclient.Key]http.RoundTripper{}
	}
	o.byKey[key] = rt
	return takenOverError{rt}
}

// remove has the next request for key dial again, if rt has done the last ones.
func (o *nextProtoTrippers) remove(key httpclient.Key, rt http.RoundTripper) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byKey[key] == rt {
		delete(o.byKey, key)
	}
}

// closeIdle forgets all.
func (o *nextProtoTrippers) closeIdle() {
	o.mu.Lock()
	by := o.byKey
	o.byKey = nil
	o.mu.Unlock()
	for _, rt := range by {
		if c, ok := rt.(interface{ CloseIdleConnections() }); ok {
			c.CloseIdleConnections()
		}
	}
}
