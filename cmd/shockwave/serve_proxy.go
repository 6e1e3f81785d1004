package main

import (
	"context"
	"errors"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
)

// newProxy passes requests on to the service at target, under its own name, and tells it in X-Forwarded-For, -Host and
// -Proto who asked for what. What a client claims in those fields is not passed on.
func newProxy(target *url.URL, errorLog *log.Logger) http.Handler {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil               // the service was named; the environment has no say
	transport.DisableCompression = true // bodies pass as they are
	transport.MaxIdleConnsPerHost = 256 // there is one host only
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.SetXForwarded()
		},
		Transport:    transport,
		ErrorLog:     errorLog,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) { refuse(w, r, err, errorLog) },
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
