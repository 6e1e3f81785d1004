package nethttp

import (
	"bytes"
	"crypto/tls"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// RegisterProtocol makes rt handle the requests to URLs with the given scheme. If rt fails with
// http.ErrSkipAltProtocol, the Transport handles that request itself. RegisterProtocol panics if the scheme is
// registered already.
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

// altRoundTripper returns the http.RoundTripper registered for the scheme of a request, or nil if there is none.
func (t *Transport) altRoundTripper(req *http.Request) http.RoundTripper {
	schemes := t.alt.Load()
	if schemes == nil || req.URL.Scheme == "https" && wantsWebSocket(req.Header) {
		return nil
	}
	return (*schemes)[req.URL.Scheme]
}

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

// unread returns the request with a body that gives all that the request's own one would have given.
func (k *call) unread() *http.Request {
	if k.req.Body == nil || k.length != 0 && k.Tunnel {
		return k.req
	}
	req := *k.req
	switch {
	case k.Body != nil: // its first byte may have been read
		req.Body = k.Body
	case k.Bytes != nil:
		req.Body = io.NopCloser(bytes.NewReader(slices.Clone(k.Bytes)))
	default:
		req.Body = http.NoBody
	}
	return &req
}

// nextProtoTripper returns what handles the requests for key, or nil if there is nothing.
func (t *Transport) nextProtoTripper(key *httpclient.Key) *nextProtoTripper {
	if len(t.TLSNextProto) == 0 {
		return nil
	}
	o := &t.nextProto
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.byKey[*key]
}

// tryNextProto passes tc to the function in TLSNextProto for the negotiated protocol, if there is one. It returns a
// takenOverError if the function has taken the connection over.
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
