package nethttp

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"strings"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// call is a request until its response has arrived. It is reused, unless the request has a body that another
// goroutine sends.
type call struct {
	httpclient.Call
	t     *Transport
	req   *http.Request
	reply *reply
	trace *httptrace.ClientTrace

	path, host string
	proxyAuth  string      // Proxy-Authorization for a proxy that forwards
	length     int64       // of the request's body; -1 if not known
	gzip       bool        // the Transport adds Accept-Encoding: gzip
	addClose   bool        // the Transport adds Connection: close
	headBuilt  bool        // the head was built at least once
	fields     []headField // reused between requests
	headLines  []byte      // the HTTP/1.1 head that was built, for the trace
	timeouts   httpclient.Timeouts
	interim    func(status int, h *shockwave.Header) error // reportInterim, allocated once
}

// newCall returns a call, from the pool if it has one.
func (t *Transport) newCall() *call {
	if k, ok := t.calls.Get().(*call); ok {
		return k
	}
	k := &call{t: t}
	k.Head, k.Timeouts, k.WaitContext, k.interim = k, &k.timeouts, k.waitContext, k.reportInterim
	return k
}

func (t *Transport) putCall(k *call) {
	if k.Bytes != nil {
		bufpool.Put(k.Bytes)
	}
	k.Body, k.Bytes, k.Rewind, k.Call.Trailer, k.Call.Trace, k.Interim = nil, nil, nil, nil, nil, nil
	k.req, k.reply, k.trace, k.proxyAuth, k.path, k.host, k.headLines = nil, nil, nil, "", "", "", nil
	k.headBuilt = false
	clear(k.fields[:cap(k.fields)])
	t.calls.Put(k)
}

// prepare sets the fields of the call from the request, whose fields have been checked.
func (k *call) prepare(key httpclient.Key) error {
	t, req := k.t, k.req
	k.Key = key
	if k.Method = req.Method; k.Method == "" {
		k.Method = http.MethodGet
	}
	k.Tunnel = k.Method == http.MethodConnect
	k.gzip = !t.DisableCompression && wantsGzip(req)
	k.Replayable = replayable(req)
	hasClose := hasToken(req.Header["Connection"], "close")
	k.addClose = req.Close && !hasClose || t.DisableKeepAlives && !req.Close && !hasClose && !asksForUpgrade(req.Header)
	k.Close = req.Close || hasClose || t.DisableKeepAlives
	if key.Host == "" {
		var err error
		if k.proxyAuth, err = proxyAuth(key.Via); err != nil {
			return err
		}
	}
	k.HTTP3 = t.HTTP3 != nil && k.mayUseHTTP3()
	k.timeouts.Head = max(t.ResponseHeaderTimeout, 0)
	if k.trace != nil || k.reply.conn != nil {
		k.setHooks()
	}
	return k.setBody()
}

// waitContext is called by httpclient when the request has to wait for a connection.
func (k *call) waitContext(ctx context.Context) context.Context { return k.reply.waitContext(ctx) }

// mayUseHTTP3 reports whether HTTP/3 can say what the request says.
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
				h.Add(name, trimSpace(v))
			}
		}
	}
	return h, nil
}

// mayTrail reports whether a field may be sent in a trailer section.
func mayTrail(name string) bool {
	switch canonicalKey(name) {
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
