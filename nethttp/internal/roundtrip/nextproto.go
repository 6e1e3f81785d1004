package roundtrip

import (
	"crypto/tls"
	"net/http"
	"sync"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// nextProtoTrippers holds the http.RoundTrippers that functions in TLSNextProto have returned for connections they
// took over.
type nextProtoTrippers struct {
	mu    sync.Mutex
	byKey map[httpclient.Key]*nextProtoTripper
}

// nextProtoTripper is one of them. It is told apart by its address: the value of a http.RoundTripper need not be
// comparable.
type nextProtoTripper struct{ http.RoundTripper }

// takenOverError is the error of a dial whose connection was taken over by a function in TLSNextProto, and of a request
// that waited for it.
type takenOverError struct {
	req *http.Request // which nothing has been read of; nil for a dial
}

// Error implements error. Users never see this text.
func (takenOverError) Error() string { return "nethttp: TLSNextProto has taken the connection over" }

// Unwrap makes httpclient leave the request's body as it is.
func (takenOverError) Unwrap() error { return httpclient.ErrTakenOver }

// nextProtoTripper returns what handles the requests for key, or nil if there is nothing.
func (t *connector) nextProtoTripper(key *httpclient.Key) *nextProtoTripper {
	o := &t.nextProto
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.byKey[*key]
}

// tryNextProto passes tc to the function in TLSNextProto for the negotiated protocol, if there is one. It returns a
// takenOverError if the function has taken the connection over.
func (t opener) tryNextProto(key httpclient.Key, addr string, tc *tls.Conn, chosen string) error {
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
		o.byKey = map[httpclient.Key]*nextProtoTripper{}
	}
	o.byKey[key] = &nextProtoTripper{rt}
	return takenOverError{}
}

// remove removes rt if it handles the requests for key, so that the next one dials again.
func (o *nextProtoTrippers) remove(key httpclient.Key, rt *nextProtoTripper) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byKey[key] == rt {
		delete(o.byKey, key)
	}
}

// closeIdle removes all http.RoundTrippers and closes their idle connections.
func (o *nextProtoTrippers) closeIdle() {
	o.mu.Lock()
	by := o.byKey
	o.byKey = nil
	o.mu.Unlock()
	for _, rt := range by {
		if c, ok := rt.RoundTripper.(interface{ CloseIdleConnections() }); ok {
			c.CloseIdleConnections()
		}
	}
}
