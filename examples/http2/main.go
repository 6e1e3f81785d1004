// Http2 serves HTTP/1.1 and HTTP/2 without TLS on one port, as a service behind a proxy often does. The response says
// which version the request used:
//
//	curl http://127.0.0.1:8080/
//	curl --http2-prior-knowledge http://127.0.0.1:8080/
//
// For HTTP/2 over TLS call ServeTLS instead of Serve; nothing else changes.
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
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 100}, // requests in flight on one connection
	}
	if *only { // by default the server speaks all versions
		srv.Protocols = new(http.Protocols)
		srv.Protocols.SetUnencryptedHTTP2(true)
	}
	log.Fatal(srv.Serve(l))
}
