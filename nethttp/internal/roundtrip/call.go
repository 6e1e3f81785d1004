package roundtrip

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
	"github.com/shockwave-go/shockwave/nethttp/internal/headermap"
)

// call is a request until its response has arrived. It is reused, unless the request has a body that another
// goroutine sends.
type call struct {
	httpclient.Call
	maxHead int  // bytes of a head of HTTP/1.1
	http3   bool // HTTP/3 may be used
	Options
	req   *http.Request
	reply *reply
	trace *httptrace.ClientTrace

	path, host string
	proxyAuth  string           // Proxy-Authorization for a proxy that forwards
	length     int64            // of the request's body; -1 if not known
	gzip       bool             // the Transport adds Accept-Encoding: gzip
	addClose   bool             // the Transport adds Connection: close
	headBuilt  bool             // the head was built at least once
	fields     []headermap.Line // reused between requests
	headLines  []byte           // the HTTP/1.1 head that was built, for the trace
	timeouts   httpclient.Timeouts
	interim    func(status int, h *shockwave.Header) error // reportInterim, allocated once
}

// newCall returns a new call.
func newCall() *call {
	k := new(call)
	k.Head, k.Timeouts, k.WaitContext, k.interim = k, &k.timeouts, k.waitContext, k.reportInterim
	return k
}

// reset prepares k for another request.
func (k *call) reset() {
	if k.Bytes != nil {
		bufpool.Put(k.Bytes)
	}
	k.Body, k.Bytes, k.Rewind, k.Call.Trailer, k.Call.Trace, k.Interim = nil, nil, nil, nil, nil, nil
	k.req, k.reply, k.trace, k.proxyAuth, k.path, k.host, k.headLines = nil, nil, nil, "", "", "", nil
	k.headBuilt = false
	clear(k.fields[:cap(k.fields)])
}

// prepare sets the fields of the call from the request, whose fields have been checked.
func (k *call) prepare(key httpclient.Key) error {
	req := k.req
	k.Key = key
	if k.Method = req.Method; k.Method == "" {
		k.Method = http.MethodGet
	}
	k.Tunnel = k.Method == http.MethodConnect
	k.gzip = !k.DisableCompression && wantsGzip(req)
	k.Replayable = replayable(req)
	hasClose := hasToken(req.Header["Connection"], "close")
	k.addClose = req.Close && !hasClose || k.DisableKeepAlives && !req.Close && !hasClose && !asksForUpgrade(req.Header)
	k.Close = req.Close || hasClose || k.DisableKeepAlives
	if key.Host == "" {
		var err error
		if k.proxyAuth, err = proxyAuth(key.Via); err != nil {
			return err
		}
	}
	k.HTTP3 = k.http3 && k.mayUseHTTP3()
	k.timeouts.Head = max(k.ResponseHeaderTimeout, 0)
	if k.trace != nil || k.reply.conn != nil {
		k.setHooks()
	}
	return k.setBody()
}

// waitContext is called by httpclient when the request has to wait for a connection.
func (k *call) waitContext(ctx context.Context) context.Context { return k.reply.waitContext(ctx) }

// mayUseHTTP3 reports whether HTTP/3 can carry the request.
func (k *call) mayUseHTTP3() bool {
	return k.host != "" && (k.path == "*" || strings.HasPrefix(k.path, "/")) && !asksForUpgrade(k.req.Header)
}

// asksForUpgrade reports whether h asks for an upgrade to another protocol.
func asksForUpgrade(h http.Header) bool {
	return h.Get("Upgrade") != "" && hasToken(h["Connection"], "upgrade")
}

// trailerFields is called by httpclient when the body has been read. The body's reader has set the values by then.
func (k *call) trailerFields() (*shockwave.Header, error) {
	req := k.req
	if err := checkFields("trailer", req.Trailer); err != nil {
		return nil, err
	}
	h := new(shockwave.Header)
	for name, values := range req.Trailer {
		for _, v := range values {
			if mayTrail(name) {
				h.Add(name, ascii.TrimOWS(v))
			}
		}
	}
	return h, nil
}

// mayTrail reports whether a field may be sent in a trailer section.
func mayTrail(name string) bool {
	switch headermap.CanonicalKey(name) {
	case "Transfer-Encoding", "Trailer", "Content-Length", "Connection", "Upgrade", "Keep-Alive", "Proxy-Connection", "Te":
		return false
	}
	return true
}

// replayable reports whether a request can be sent twice without harm, by the same rule as http.Transport.
func replayable(req *http.Request) bool {
	switch req.Method {
	case "", "GET", "HEAD", "OPTIONS", "TRACE":
		return true
	}
	_, a := req.Header["Idempotency-Key"]
	_, b := req.Header["X-Idempotency-Key"]
	return a || b
}

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

// failed is called when no response has come, because of err. It returns the error of RoundTrip.
func (k *call) failed(err error) error {
	k.reply.finish()
	k.reply.body.in.Release()
	if taken, ok := errors.AsType[takenOverError](err); ok {
		taken.req = k.unread()
		return taken
	}
	if k.Tunnel {
		closeBody(k.req)
	}
	return k.roundTripError(err)
}
