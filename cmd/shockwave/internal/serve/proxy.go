package serve

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/nethttp"
)

// newProxy returns a handler that forwards requests to the service at target. It keeps the client's Host, so that the
// service's links, cookies and origin checks work as without a proxy; with rewriteHost it sends target's host instead.
// X-Forwarded-For, -Host and -Proto are set, and values of these fields from the client are dropped.
func newProxy(target *url.URL, rewriteHost bool, errorLog *log.Logger) http.Handler {
	transport := &nethttp.Transport{ // no Proxy: proxy settings of the environment must not apply
		DisableCompression:    true, // pass bodies through unchanged
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   256, // all requests go to one host
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.SetXForwarded()
			if rewriteHost {
				rewriteOrigin(r, target)
			} else {
				r.Out.Host = r.In.Host
			}
		},
		Transport:    transport,
		BufferPool:   new(proxyBuffers),
		ErrorLog:     errorLog,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) { refuse(w, r, err, errorLog) },
	}
}

// proxyBuffers is a pool of the buffers through which bodies are copied. Without it every response allocates 32 KiB.
type proxyBuffers struct{ pool sync.Pool }

type proxyBuffer [32 << 10]byte

// Get implements httputil.BufferPool.
func (b *proxyBuffers) Get() []byte {
	if p, ok := b.pool.Get().(*proxyBuffer); ok {
		return p[:]
	}
	return new(proxyBuffer)[:]
}

// Put implements httputil.BufferPool.
func (b *proxyBuffers) Put(p []byte) { b.pool.Put((*proxyBuffer)(p)) }

// rewriteOrigin replaces an Origin that is the proxy's own with the service's own. A same-origin request to the proxy,
// such as a WebSocket handshake (RFC 6455 §10.2), thereby stays a same-origin request for the service. Any other Origin
// is left alone.
func rewriteOrigin(r *httputil.ProxyRequest, target *url.URL) {
	scheme := "http"
	if r.In.TLS != nil {
		scheme = "https"
	}
	if r.In.Header.Get("Origin") == scheme+"://"+r.In.Host {
		r.Out.Header.Set("Origin", target.Scheme+"://"+target.Host)
	}
}

// refuse answers a request for which the service gave no response.
func refuse(w http.ResponseWriter, r *http.Request, err error, errorLog *log.Logger) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the client has disconnected
	}
	errorLog.Printf("%s %s: %v", r.Method, r.URL.Redacted(), err)
	http.Error(w, "the service behind this proxy did not answer", http.StatusBadGateway)
}
