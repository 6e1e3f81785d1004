package main

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

// newProxy passes requests on to the service at target with the Host that the client asked for, so that its links,
// cookies and checks of a page's origin mean what they mean without a proxy; with rewriteHost under target's own name.
// X-Forwarded-For, -Host and -Proto tell who asked for what. What a client claims in those fields is not passed on.
func newProxy(target *url.URL, rewriteHost bool, errorLog *log.Logger) http.Handler {
	transport := &nethttp.Transport{ // without a Proxy: the service was named; the environment has no say
		DisableCompression:    true, // bodies pass as they are
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   256, // there is one host only
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

// proxyBuffers are what bodies are copied through: without them each response takes 32 KiB of new memory.
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

// rewriteOrigin has a page of this proxy be one of the service's own: a request that is of the same origin here is so
// there too, a WebSocket handshake for example (RFC 6455 §10.2). All others keep their Origin.
func rewriteOrigin(r *httputil.ProxyRequest, target *url.URL) {
	scheme := "http"
	if r.In.TLS != nil {
		scheme = "https"
	}
	if r.In.Header.Get("Origin") == scheme+"://"+r.In.Host {
		r.Out.Header.Set("Origin", target.Scheme+"://"+target.Host)
	}
}

// refuse answers a request that the service behind did not.
func refuse(w http.ResponseWriter, r *http.Request, err error, errorLog *log.Logger) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the client left; nobody is to blame and nobody listens
	}
	errorLog.Printf("%s %s: %v", r.Method, r.URL.Redacted(), err)
	http.Error(w, "the service behind this proxy did not answer", http.StatusBadGateway)
}
