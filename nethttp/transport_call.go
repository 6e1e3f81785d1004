package nethttp

import (
	"context"
	"net/http"
	"net/http/httptrace"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/httpclient"
)

// call is a request while it is sent, and until its response has come. It is used again, unless it has a body that a
// goroutine of its own sends.
type call struct {
	httpclient.Call
	t     *Transport
	req   *http.Request
	reply *reply
	trace *httptrace.ClientTrace

	path, host string
	proxyAuth  string   // for a proxy that forwards
	length     int64    // of the request's body; -1 is not known
	gzip       bool     // asked for by us
	addClose   bool     // Connection: close is said by us
	headBuilt  bool     // a head has been made
	nameBuf    []string // kept
	headLines  []byte   // the head of HTTP/1.1 that has been made, for the trace
	timeouts   httpclient.Timeouts
}

// newCall returns a call that can be used.
func (t *Transport) newCall() *call {
	if k, ok := t.calls.Get().(*call); ok {
		return k
	}
	k := &call{t: t}
	k.Head, k.Timeouts, k.Waits = k, &k.timeouts, k.waitContext
	return k
}

func (t *Transport) putCall(k *call) {
	if k.Bytes != nil {
		bufpool.Put(k.Bytes)
	}
	k.Body, k.Bytes, k.Rewind, k.Call.Trailer, k.Call.Trace, k.Interim = nil, nil, nil, nil, nil, nil
	k.req, k.reply, k.trace, k.proxyAuth, k.path, k.host, k.headLines = nil, nil, nil, "", "", "", nil
	k.headBuilt = false
	clear(k.nameBuf[:cap(k.nameBuf)])
	t.calls.Put(k)
}

// prepare makes the call what the request asks for. The fields have been checked.
func (k *call) prepare(key httpclient.Key) error {
	t, req := k.t, k.req
	k.Key = key
	if k.Method = req.Method; k.Method == "" {
		k.Method = http.MethodGet
	}
	k.Tunnel = k.Method == http.MethodConnect
	k.gzip = !t.DisableCompression && wantsGzip(req)
	k.Replayable = replayable(req)
	says := hasToken(req.Header["Connection"], "close")
	k.addClose = req.Close && !says || t.DisableKeepAlives && !req.Close && !says && !asksForUpgrade(req.Header)
	k.Close = req.Close || says || t.DisableKeepAlives
	if key.Host == "" {
		var err error
		if k.proxyAuth, err = proxyAuth(key.Via); err != nil {
			return err
		}
	}
	k.timeouts.Head = max(t.ResponseHeaderTimeout, 0)
	if k.trace != nil || k.reply.conn != nil {
		k.setHooks()
	}
	return k.setBody()
}

// waitContext is httpclient's Waits.
func (k *call) waitContext(ctx context.Context) context.Context { return k.reply.waitContext(ctx) }

// asksForUpgrade reports whether fields ask for another protocol.
func asksForUpgrade(h http.Header) bool {
	return h.Get("Upgrade") != "" && hasToken(h["Connection"], "upgrade")
}

// trailerFields is httpclient's Trailer: their values have been set by the body's reader.
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

// mayTrail reports whether a field may stand in a trailer section.
func mayTrail(name string) bool {
	switch canonicalKey(name) {
	case "Transfer-Encoding", "Trailer", "Content-Length", "Connection", "Upgrade", "Keep-Alive", "Proxy-Connection", "Te":
		return false
	}
	return true
}

// replayable reports whether a request can be sent twice without harm, as http.Transport judges that.
func replayable(req *http.Request) bool {
	switch req.Method {
	case "", "GET", "HEAD", "OPTIONS", "TRACE":
		return true
	}
	_, a := req.Header["Idempotency-Key"]
	_, b := req.Header["X-Idempotency-Key"]
	return a || b
}
