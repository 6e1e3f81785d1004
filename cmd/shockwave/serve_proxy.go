package main

import (
	"context"
	"errors"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
)

// newProxy passes requests on to the service at target with the Host that the client asked for, so that its links,
// cookies and checks of a page's origin mean what they mean without a proxy; with rewriteHost under target's own name.
// X-Forwarded-For, -Host and -Proto tell who asked for what. What a client claims in those fields is not passed on.
func newProxy(target *url.URL, rewriteHost bool, errorLog *log.Logger) http.Handler {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil               // the service was named; the environment has no say
	transport.DisableCompression = true // bodies pass as they are
	transport.MaxIdleConnsPerHost = 256 // there is one host only
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
		ErrorLog:     errorLog,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) { refuse(w, r, err, errorLog) },
	}
}

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
