// Reverse-proxy forwards requests, WebSocket upgrades included, to another service. It combines net/http's ReverseProxy
// with this module's server (nethttp.Server) and client (nethttp.Transport).
//
// The service receives the client's Host header. It compares Host with Origin to decide whether a WebSocket request
// comes from one of its own pages, so with any other Host it would refuse them.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http/httputil"
	"net/url"

	"github.com/shockwave-go/shockwave/nethttp"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "listen here")
	to := flag.String("to", "http://127.0.0.1:3000", "pass requests on to this service")
	flag.Parse()
	target, err := url.Parse(*to)
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/\n", l.Addr())

	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // SetURL clears Out.Host, which would send the target's host
			r.SetXForwarded()
		},
		Transport: &nethttp.Transport{DisableCompression: true, MaxIdleConnsPerHost: 256},
	}
	srv := &nethttp.Server{Handler: proxy}
	log.Fatal(srv.Serve(l))
}
