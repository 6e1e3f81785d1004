// Reverse-proxy passes requests on to another service with net/http's ReverseProxy, upgrades included, between this
// module's server and its transport. The service is asked for the Host that the client asked for, or it would take the
// WebSockets of its own pages for a foreign page's.
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
			r.Out.Host = r.In.Host // SetURL has cleared it: the target's would be sent
			r.SetXForwarded()
		},
		Transport: &nethttp.Transport{DisableCompression: true, MaxIdleConnsPerHost: 256},
	}
	srv := &nethttp.Server{Handler: proxy}
	log.Fatal(srv.Serve(l))
}
