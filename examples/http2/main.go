// Http2 serves HTTP/2 on the port of HTTP/1.1, without TLS, as a service behind a proxy does, and tells which one it was:
//
//	curl http://127.0.0.1:8080/
//	curl --http2-prior-knowledge http://127.0.0.1:8080/
//
// Over TLS the same server needs ServeTLS instead of Serve, and nothing else.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/nethttp"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "listen here")
	only := flag.Bool("only", false, "speak HTTP/2 and nothing else")
	flag.Parse()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/\n", l.Addr())

	srv := &nethttp.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s over %s\n", r.Method, r.Proto)
		}),
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 100}, // what a connection may ask for at once
	}
	if *only { // without Protocols all versions are spoken
		srv.Protocols = new(http.Protocols)
		srv.Protocols.SetUnencryptedHTTP2(true)
	}
	log.Fatal(srv.Serve(l))
}
